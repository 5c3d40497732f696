# fish completion for ratectl; made by `ratectl completion fish`.
# The words are fixed. Names of deployments, policies, shards and classes come from `ratectl config names`; fish takes each
# as one word and evaluates none.

# The n-th word that is neither a flag nor a flag's value.
function __ratectl_word --argument-names n
    set -l skip 0
    set -l seen 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case '--above' '--actor' '--amount' '--at' '--at-limit' '--audit' '--background' '--buckets' '--burst' '--capacity' '--class' '--client' '--color' '--columns' '--config' '--confirm' '--cost-at' '--csv' '--deadband' '--deadline' '--delay' '--deployment' '--dialect' '--dir' '--duration' '--every' '--examples' '--expect' '--expiry-suffix' '--fall' '--feature' '--file' '--first' '--fix' '--format' '--from' '--group' '--hold-for' '--if-used-at-least' '--if-window' '--input' '--interval' '--iterations' '--journal' '--kd' '--key' '--key-format' '--ki' '--kind' '--kp' '--lag' '--last' '--lease' '--limit' '--load-ca-file' '--load-command' '--load-file' '--load-prometheus' '--load-timeout' '--load-token-file' '--look' '--match' '--max' '--max-keys' '--max-latency' '--max-staleness' '--messages' '--min' '--min-delta' '--min-used' '--name' '--names' '--noise' '--now' '--offered' '--old' '--only' '--op' '--op-id' '--open-rps' '--ops' '--org' '--output' '--password-sha256' '--path' '--period' '--plan' '--policy' '--primary' '--query' '--rdb' '--rearm' '--rearm-samples' '--reason' '--refund-status' '--replica' '--replicas' '--resets-within' '--resume' '--rise' '--rounds' '--rows' '--rps' '--sample' '--scheme' '--seed' '--server' '--set' '--set-point' '--shard' '--sharding' '--shards' '--since' '--skip' '--sort' '--stale-after' '--start' '--state' '--swing' '--then' '--time' '--timeout' '--top' '--trip' '--tz' '--until' '--url' '--user' '--verify' '--wait-replicas' '--wait-timeout' '--window' '--write' '-N' '-c' '-d' '-o' '-u'
                set skip 1
            case '-*'
            case '*'
                set seen (math $seen + 1)
                if test $seen = $n
                    echo $word
                    return 0
                end
        end
    end
    return 1
end

function __ratectl_in
    set -l i 0
    for word in $argv
        set i (math $i + 1)
        test "$(__ratectl_word $i)" = $word; or return 1
    end
end

# Names of one kind, from the configuration that -c and -d mean.
function __ratectl_names --argument-names kind
    set -l given
    set -l flag ''
    for word in (commandline -opc)[2..-1]
        switch $flag
            case -c --config
                set given $given -c (string replace -r '^~/' "$HOME/" -- $word)
            case -d --deployment
                set given $given -d $word
        end
        switch $word
            case '--config=*' '--deployment=*'
                set given $given $word
        end
        set flag $word
    end
    command ratectl config names $kind -o name $given 2>/dev/null </dev/null
end

# Words of a value that may be several: what stands before the last comma stays.
function __ratectl_list
    set -l before (string match -r '^.*,' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
    for word in $argv
        echo "$before$word"
    end
end

complete -c ratectl -f
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a check -d 'show used, limit, remaining and reset of windows'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a client -d 'show every window of one client'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a explain -d 'say in words whether a client is limited, why, and what to do'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a headers -d 'a client\'s rate-limit headers; can pasted ones be true'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a scan -d 'list the windows of every shard'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a watch -d 'print a line for every change of windows, or wait for one'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a stats -d 'figures over all windows: use, shards, resets ahead'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a top -d 'watch the heaviest windows live, with their rates'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a increment -d 'count requests, opening the window if needed'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a refund -d 'give requests back inside the window looked at, never below 0'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a reset -d 'remove windows'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a apply -d 'do exactly what a plan says'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a history -d 'who changed what, before and after'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a undo -d 'take an operation back'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a replay -d 'count a real access log into windows'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a locate -d 'which shard and servers a key lives on'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a identify -d 'which limiter wrote a key, and what it means now'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a nodes -d 'what each server says about itself: role, lag, clock, load'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a compare -d 'the same window on every node of its shard, and why nodes differ'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a doctor -d 'find every broken, leaked or misplaced window, and repair what can be'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a sharding -d 'rules for placing keys: list, show, verify, guess'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a reshard -d 'what a change of shards does to live windows, and moving them along'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a throttle -d 'throttles of LimitLion: show, list, reset, delete'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a knobs -d 'knobs of throttles: get, set, unset, stop, unlimited'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a running -d 'what running counters have counted lately'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a governor -d 'keep a load at its set point by a throttle\'s rate'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a limit -d 'trace the chain of limits that a request meets'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a rollout -d 'from one backend to another: show, set, who, compare, copy'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a config -d 'write, prove and show the configuration'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a acl -d 'the least rights on the servers that ratectl needs, to be pasted there'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a sandbox -d 'throw-away shards, Sentinel or Redis Cluster to try things on'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a completion -d 'a completion script for bash, zsh or fish'
complete -c ratectl -n 'not __ratectl_word 1 >/dev/null' -a help -d 'help on a command or a topic'
complete -c ratectl -s c -l config -d 'read this configuration file and no other' -r -F
complete -c ratectl -s d -l deployment -d 'the deployment of the configuration to work on' -x -a '(__ratectl_names deployments)'
complete -c ratectl -s u -l url -d 'a server, as redis-cli writes it, or env:NAME to read it from the environment; repeat it for more shards' -x
complete -c ratectl -l sharding -d 'how keys are shared out over several shards; `sharding show PRESET` lists its options' -x -a 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis all-shards'
complete -c ratectl -l all-shards -d 'look on every shard: where keys live cannot be computed'
complete -c ratectl -l from -d 'which nodes to read: a role, all of them, or one by its address' -x -a 'primary replica all'
complete -c ratectl -l max-staleness -d 'read no replica that is not shown to be at most so far behind its primary; one that was named is marked' -x
complete -c ratectl -l scheme -d 'the kind of limiter that keeps the windows (default window); see ratectl.toml(5)' -x
complete -c ratectl -l expiry-suffix -d 'what a key\'s expiry half is called after the key itself (default :exp)' -x
complete -c ratectl -l timeout -d 'how long one server may take to answer, name resolution and login included (default 2s)' -x
complete -c ratectl -l deadline -d 'how long the whole command may take (default: no limit)' -x
complete -c ratectl -l now -d 'the application\'s clock: an epoch second, RFC 3339, +15m, now' -x -a 'now today yesterday'
complete -c ratectl -l limit -d 'the limit of every window, whatever the policies say' -x
complete -c ratectl -l period -d 'how long a window lasts, whatever the policies say' -x
complete -c ratectl -l burst -d 'how many requests may come at once, of limiters that let them trickle' -x
complete -c ratectl -l key -d 'how keys are written, as in core:{client}: a policy before all others' -x
complete -c ratectl -s o -l output -d 'format of the rows, a table unless said' -x -a 'table wide json ndjson csv tsv name'
complete -c ratectl -l json -d 'the same as --output json'
complete -c ratectl -l columns -d 'which columns, in this order; help lists them' -x
complete -c ratectl -l no-header -d 'no line of column names'
complete -c ratectl -l thousands -d 'numbers as 1,234,567, for people only'
complete -c ratectl -l color -d 'colour; auto: on a terminal, unless NO_COLOR is set' -x -a 'auto always never'
complete -c ratectl -l tz -d 'show times in this zone, or in the local one, for people only (default UTC)' -x
complete -c ratectl -l key-format -d 'how keys are written, in and out' -x -a 'raw escaped hex base64'
complete -c ratectl -l reveal -d 'show the clients of secret policies instead of their fingerprints'
complete -c ratectl -s 0 -l null -d 'keys are raw bytes, each ended by a NUL, in and out'
complete -c ratectl -l messages -d 'standard error as text or as one JSON object a line' -x -a 'text json'
complete -c ratectl -s q -l quiet -d 'say only what went wrong; check and changes print no rows then, unless -o asks for them'
complete -c ratectl -s v -l verbose -d 'say more about what is done; twice for more'
complete -c ratectl -s n -l dry-run -d 'show what would be done and write nothing'
complete -c ratectl -s y -l yes -d 'answer yes to the question before several keys are changed'
complete -c ratectl -l no-input -d 'never ask anything: refuse instead'
complete -c ratectl -l journal -d 'where writes are recorded (default: what the configuration says, else below XDG_STATE_HOME)' -x
complete -c ratectl -l audit -d 'also send every record to the system log' -x
complete -c ratectl -l read-only -d 'refuse every command that writes'
complete -c ratectl -s h -l help -d 'show help on the command'
complete -c ratectl -s V -l version -d 'show version, compiler and libraries'
complete -c ratectl -n '__ratectl_in check' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help)'
complete -c ratectl -n '__ratectl_in check' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in check' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in check' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in check' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in check' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in check' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in check' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in check' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in check' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in check' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in check' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in check' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in check' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in check' -l sort -d 'order rows by this column' -x -a 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout'
complete -c ratectl -n '__ratectl_in check' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in check' -l exit-status -d 'say by the exit code what was found: 1 when there is something to look at'
complete -c ratectl -n '__ratectl_in check' -l look -d 'light reads both values; full adds types and TTLs (default for the first 100 keys, and always for --exit-status and what --state takes)' -x -a 'light full'
complete -c ratectl -n '__ratectl_in check' -l as-script -d 'look through a Lua script, as the application\'s limiter does'
complete -c ratectl -n '__ratectl_in client' -s o -l output -d 'format of the rows, a table unless said' -x -a 'table wide json ndjson csv tsv name github'
complete -c ratectl -n '__ratectl_in client' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help)'
complete -c ratectl -n '__ratectl_in client' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in client' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in client' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in client' -l sweep -d 'read the name of every key of every shard, so as to find windows whose keys take more than the client'
complete -c ratectl -n '__ratectl_in client' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in client' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in client' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in client' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in client' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in client' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in client' -l sort -d 'order rows by this column' -x -a 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout'
complete -c ratectl -n '__ratectl_in client' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in client' -l exit-status -d 'say by the exit code what was found: 1 when there is something to look at'
complete -c ratectl -n '__ratectl_in client' -l look -d 'light reads both values; full adds types and TTLs (default for the first 100 keys, and always for --exit-status and what --state takes)' -x -a 'light full'
complete -c ratectl -n '__ratectl_in client' -l as-script -d 'look through a Lua script, as the application\'s limiter does'
complete -c ratectl -n '__ratectl_in explain' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key verdict reason used limit limit_source remaining reset_at reset_at_local reset_in allowed_from ended_at state shard node standing clock_skew read_at servers differ answers causes details silent findings finding_details changes changed_at change changed_by change_op policy client client_class period deployment now stored_used stored_reset_at advice text layout help)'
complete -c ratectl -n '__ratectl_in explain' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in explain' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in explain' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in explain' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in explain' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in explain' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in explain' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in explain' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in explain' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in explain' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in explain' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in explain' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in explain' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in explain' -l sort -d 'order rows by this column' -x -a 'key verdict reason used limit limit_source remaining reset_at reset_at_local reset_in allowed_from ended_at state shard node standing clock_skew read_at servers differ answers causes details silent findings finding_details changes changed_at change changed_by change_op policy client client_class period deployment now stored_used stored_reset_at advice text layout'
complete -c ratectl -n '__ratectl_in explain' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in explain' -l redact -d 'name no client and no host: a digest, the same in every report, and shard and role. A reader who can list all ids can still find the one that a digest stands for'
complete -c ratectl -n '__ratectl_in explain' -l exit-status -d 'say by the exit code what was found: 1 when a client is limited, or when that cannot be told'
complete -c ratectl -n '__ratectl_in headers' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key policy dialect name value shard node read_at stale state reset_at stored_used stored_reset_at layout help)'
complete -c ratectl -n '__ratectl_in headers' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in headers' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in headers' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in headers' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in headers' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in headers' -l policy -d 'only keys of these policies' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in headers' -l class -d 'only clients of these classes' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in headers' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in headers' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in headers' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in headers' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in headers' -l dialect -d 'whose headers: github (default), legacy, draft-7, draft-8, retry-after' -x -a 'github legacy draft-7 draft-8 retry-after'
complete -c ratectl -n '__ratectl_in headers' -l verify -d 'can the headers in this file (`-`: pasted) be true of the window?' -r -F
complete -c ratectl -n '__ratectl_in headers' -l sort -d 'order rows by this column' -x -a 'key policy dialect name value shard node read_at stale state reset_at stored_used stored_reset_at layout'
complete -c ratectl -n '__ratectl_in headers' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in scan' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help)'
complete -c ratectl -n '__ratectl_in scan' -l match -d 'the same as GLOB' -x
complete -c ratectl -n '__ratectl_in scan' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in scan' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in scan' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in scan' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in scan' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in scan' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in scan' -l sort -d 'order rows by this column' -x -a 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout'
complete -c ratectl -n '__ratectl_in scan' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in scan' -l exit-status -d 'say by the exit code what was found: 1 when there is something to look at'
complete -c ratectl -n '__ratectl_in scan' -l top -d 'only the N windows with most used, or largest in the column of --sort' -x
complete -c ratectl -n '__ratectl_in scan' -l first -d 'stop after this many rows; with --resume at the end of the page that they end in, so that the next scan goes on behind it' -x
complete -c ratectl -n '__ratectl_in scan' -l count -d 'print only how many windows there are'
complete -c ratectl -n '__ratectl_in scan' -l duplicates -d 'only keys that are on several shards; takes up to 64 MiB, and more sweeps beyond six million windows'
complete -c ratectl -n '__ratectl_in scan' -l orphans -d 'counters without an expiry half too, if a policy matches them'
complete -c ratectl -n '__ratectl_in scan' -l rdb -d 'read this dump file instead of a server, as a picture of its moment; gzip is unpacked, `-` is standard input, several are one shard each' -x
complete -c ratectl -n '__ratectl_in scan' -l max-latency -d 'how long a page may keep a server\'s other clients waiting; pages get as large as that allows (default: 1ms)' -x
complete -c ratectl -n '__ratectl_in scan' -l ops -d 'at most so many commands a second to each server' -x
complete -c ratectl -n '__ratectl_in scan' -l look -d 'light reads both values; full adds types and TTLs, at about twice the cost (always for --exit-status of stats, what --state takes, and windows of which a half is missing)' -x -a 'light full'
complete -c ratectl -n '__ratectl_in scan' -l resume -d 'go on where this file says an earlier scan stopped, and keep it up to date; rows on the edge come again, none is lost; once the scan is finished nothing is left to do until the file is removed' -r -F
complete -c ratectl -n '__ratectl_in watch' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list at key event used delta limit remaining percent state reset_at reset_in rate exhausts_in exhausts_before_reset shard node role stale deployment policy client client_class limit_source look stored_used stored_reset_at counter_type counter_ttl expiry_ttl layout error help)'
complete -c ratectl -n '__ratectl_in watch' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in watch' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in watch' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in watch' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in watch' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in watch' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in watch' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in watch' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in watch' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in watch' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in watch' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in watch' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in watch' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in watch' -l until -d 'end with 0 when this holds for every window: ended, exhausted, below:N, below:P%, absent, changed; several: when one of them does' -x -a '(__ratectl_list ended exhausted below: absent changed)'
complete -c ratectl -n '__ratectl_in watch' -l any -d 'with --until: when it holds for any one window'
complete -c ratectl -n '__ratectl_in watch' -l every -d 'how often to look (default 1s; 5s with --match and --all)' -x
complete -c ratectl -n '__ratectl_in watch' -l rounds -d 'end after looking so many times' -x
complete -c ratectl -n '__ratectl_in watch' -l look -d 'light reads both values (default); full adds types and TTLs (always for what --state takes)' -x -a 'light full'
complete -c ratectl -n '__ratectl_in stats' -s o -l output -d 'format of the rows, a table unless said' -x -a 'table wide json ndjson csv tsv name prometheus html'
complete -c ratectl -n '__ratectl_in stats' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list kind name from to count help)'
complete -c ratectl -n '__ratectl_in stats' -l match -d 'the same as GLOB' -x
complete -c ratectl -n '__ratectl_in stats' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in stats' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in stats' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in stats' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in stats' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in stats' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in stats' -l at-limit -d 'how many would be limited at each of these limits, or shares of the present ones' -x
complete -c ratectl -n '__ratectl_in stats' -l names -d 'name the N heaviest windows, too (default: none; json 20; html 100000, if the page stays below 5 MB)' -x
complete -c ratectl -n '__ratectl_in stats' -l exit-status -d 'exit code 1 when a window is exhausted or corrupt'
complete -c ratectl -n '__ratectl_in stats' -l orphans -d 'counters without an expiry half too, if a policy matches them'
complete -c ratectl -n '__ratectl_in stats' -l rdb -d 'read this dump file instead of a server, as a picture of its moment; gzip is unpacked, `-` is standard input, several are one shard each' -x
complete -c ratectl -n '__ratectl_in stats' -l max-latency -d 'how long a page may keep a server\'s other clients waiting; pages get as large as that allows (default: 1ms)' -x
complete -c ratectl -n '__ratectl_in stats' -l ops -d 'at most so many commands a second to each server' -x
complete -c ratectl -n '__ratectl_in stats' -l look -d 'light reads both values; full adds types and TTLs, at about twice the cost (always for --exit-status of stats, what --state takes, and windows of which a half is missing)' -x -a 'light full'
complete -c ratectl -n '__ratectl_in top' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help)'
complete -c ratectl -n '__ratectl_in top' -l match -d 'the same as GLOB' -x
complete -c ratectl -n '__ratectl_in top' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in top' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in top' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in top' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in top' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in top' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in top' -l sort -d 'rank by used (default), percent, rate, reset or key; rate is for the screen, where windows are seen more than once' -x -a 'used percent rate reset key'
complete -c ratectl -n '__ratectl_in top' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in top' -s N -l rows -d 'how many windows to rank (default: 200 to scroll through on the screen, 20 elsewhere); a counter without an expiry half is no window: `scan --orphans` lists it' -x
complete -c ratectl -n '__ratectl_in top' -l every -d 'how long after the begin of a sweep the next one begins, never before it is through (default: 2s, or twice what a sweep takes)' -x
complete -c ratectl -n '__ratectl_in top' -l max-latency -d 'how long a page may keep a server\'s other clients waiting; pages get as large as that allows (default: 1ms)' -x
complete -c ratectl -n '__ratectl_in top' -l ops -d 'at most so many commands a second to each server' -x
complete -c ratectl -n '__ratectl_in increment' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in increment' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in increment' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in increment' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in increment' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in increment' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in increment' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in increment' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in increment' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in increment' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in increment' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in increment' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in increment' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in increment' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in increment' -l amount -d 'how many requests to count, 1 unless said; 0 only opens the window, where its limiter can go on from 0' -x
complete -c ratectl -n '__ratectl_in increment' -l if-window -d 'only the window that ends then' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in increment' -l if-used-at-least -d 'only a window with at least so many requests used' -x
complete -c ratectl -n '__ratectl_in increment' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in increment' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in increment' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in increment' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in increment' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in increment' -l plan -d 'write nothing, but a file of what would be written, for `ratectl apply`' -r -F
complete -c ratectl -n '__ratectl_in increment' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in increment' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in increment' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in increment' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in increment' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in increment' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in refund' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in refund' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in refund' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in refund' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in refund' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in refund' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in refund' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in refund' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in refund' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in refund' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in refund' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in refund' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in refund' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in refund' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in refund' -l amount -d 'how many requests to give back, or a share of those used' -x
complete -c ratectl -n '__ratectl_in refund' -l clamp -d 'where fewer are used, take what is there instead of refusing'
complete -c ratectl -n '__ratectl_in refund' -l if-window -d 'only the window that ends then' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in refund' -l if-used-at-least -d 'only a window with at least so many requests used' -x
complete -c ratectl -n '__ratectl_in refund' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in refund' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in refund' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in refund' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in refund' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in refund' -l plan -d 'write nothing, but a file of what would be written, for `ratectl apply`' -r -F
complete -c ratectl -n '__ratectl_in refund' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in refund' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in refund' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in refund' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in refund' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in refund' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in reset' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in reset' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in reset' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in reset' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in reset' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in reset' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in reset' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in reset' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in reset' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in reset' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in reset' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in reset' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in reset' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in reset' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in reset' -l if-window -d 'only the window that ends then' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in reset' -l if-used-at-least -d 'only a window with at least so many requests used' -x
complete -c ratectl -n '__ratectl_in reset' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in reset' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in reset' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in reset' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in reset' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in reset' -l plan -d 'write nothing, but a file of what would be written, for `ratectl apply`' -r -F
complete -c ratectl -n '__ratectl_in reset' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in reset' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in reset' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in reset' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in reset' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in reset' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in apply' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in apply' -l strict -d 'of a reset: only windows with exactly as many requests used as planned'
complete -c ratectl -n '__ratectl_in apply' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in apply' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in apply' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in apply' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in apply' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in apply' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in apply' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in apply' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in apply' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in apply' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in apply' -F
complete -c ratectl -n '__ratectl_in history' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list op time command kind deployment shard node run_id key amount status source change before_used before_reset_at after_used after_reset_at taken stored_before stored_reset_before counter_expired_at_ms expiry_expired_at_ms why_not reason because reason_text actor host undoes undone_by undone_at answered_at help)'
complete -c ratectl -n '__ratectl_in history' -l since -d 'only operations that began then or later' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in history' -l until -d 'only operations that began then or earlier' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in history' -l op -d 'only this operation, whatever its id looks like' -x -a '(__ratectl_names operations)'
complete -c ratectl -n '__ratectl_in history' -l last -d 'only the last rows, so many' -x
complete -c ratectl -n '__ratectl_in history' -l client -d 'keys of this client, too; repeatable' -x
complete -c ratectl -n '__ratectl_in history' -l match -d 'only keys that match this pattern' -x
complete -c ratectl -n '__ratectl_in history' -l on-servers -d 'what the servers\' operation keys say, from whatever machine it came'
complete -c ratectl -n '__ratectl_in history' -l sort -d 'order rows by this column' -x -a 'op time command kind deployment shard node run_id key amount status source change before_used before_reset_at after_used after_reset_at taken stored_before stored_reset_before counter_expired_at_ms expiry_expired_at_ms why_not reason because reason_text actor host undoes undone_by undone_at answered_at'
complete -c ratectl -n '__ratectl_in history' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in undo' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in undo' -l merge -d 'where a newer window stands, leave what would be there if the old one had not been removed'
complete -c ratectl -n '__ratectl_in undo' -l force -d 'go on although the deployment, a server, a limit or a window is not the one that it was, or a reshard has copied the windows elsewhere'
complete -c ratectl -n '__ratectl_in undo' -l client -d 'whose windows they are, where a secret policy keeps that out of the journal; repeatable' -x
complete -c ratectl -n '__ratectl_in undo' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in undo' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in undo' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in undo' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in undo' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in undo' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in undo' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in undo' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in undo' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in undo' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in undo' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in undo' -a '(__ratectl_names operations)'
complete -c ratectl -n '__ratectl_in replay' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard status limit requests counted refunded over rejected windows first_over_at first_over_line refused unknown not_attempted help)'
complete -c ratectl -n '__ratectl_in replay' -l policy -d 'count by this policy\'s key, limit and period instead of --key' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in replay' -l refund-status -d 'statuses whose requests are given back, such as 304' -x
complete -c ratectl -n '__ratectl_in replay' -l enforce -d 'look first, and do not count what is over its limit'
complete -c ratectl -n '__ratectl_in replay' -l time -d 'log moves the log\'s clock so that its first request is now; now is one time; by itself log, and what would be written into windows to come is left out' -x -a 'log now'
complete -c ratectl -n '__ratectl_in replay' -l since -d 'only requests logged at or after this' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in replay' -l until -d 'only requests logged before this' -x -a 'now today yesterday'
complete -c ratectl -n '__ratectl_in replay' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in replay' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in replay' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in replay' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in replay' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in replay' -l sort -d 'order rows by this column' -x -a 'key deployment shard status limit requests counted refunded over rejected windows first_over_at first_over_line refused unknown not_attempted'
complete -c ratectl -n '__ratectl_in replay' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in replay' -F
complete -c ratectl -n '__ratectl_in locate' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key shard node replicas policy client client_class limit limit_source tag hash hash_value point label bucket buckets runner_up expiry_key hashed before_point before_label before_shard after_point after_label after_shard shared_with slot_state help)'
complete -c ratectl -n '__ratectl_in locate' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in locate' -l policy -d 'only keys of these policies' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in locate' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in locate' -l steps -d 'how the key gets there: tag, hash, ring point and its label, the points beside it, runner-up'
complete -c ratectl -n '__ratectl_in locate' -l sort -d 'order rows by this column' -x -a 'key shard node replicas policy client client_class limit limit_source tag hash hash_value point label bucket buckets runner_up expiry_key hashed before_point before_label before_shard after_point after_label after_shard shared_with slot_state'
complete -c ratectl -n '__ratectl_in locate' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in identify' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key system sureness keys used reset_at reset_kind means type ttl shard node role stale template limit period policy help)'
complete -c ratectl -n '__ratectl_in identify' -l sample -d 'sum up so many keys of each shard, whatever they are called' -x
complete -c ratectl -n '__ratectl_in identify' -l shard -d 'take the sample from these shards alone' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in identify' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in identify' -l sort -d 'order rows by this column' -x -a 'key system sureness keys used reset_at reset_kind means type ttl shard node role stale template limit period policy'
complete -c ratectl -n '__ratectl_in identify' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in nodes' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list shard node configured_role role state link link_down primary replicas lag_bytes behind clock_skew round_trip version uptime ops_per_s clients keys memory_bytes max_memory_bytes eviction_policy can_evict evicted_keys offset run_id stale_because error help)'
complete -c ratectl -n '__ratectl_in nodes' -l shard -d 'only the servers of these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in nodes' -l capabilities -d 'what answers at each node, which of the commands that ratectl sends it allows, and what is lost without those that it does not; nothing is written'
complete -c ratectl -n '__ratectl_in nodes' -l sort -d 'order rows by this column' -x -a 'shard node configured_role role state link link_down primary replicas lag_bytes behind clock_skew round_trip version uptime ops_per_s clients keys memory_bytes max_memory_bytes eviction_policy can_evict evicted_keys offset run_id stale_because error'
complete -c ratectl -n '__ratectl_in nodes' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in nodes' -l probe -d 'measure the replication delay: write a throw-away window on every shard, ask its replicas until they show it, remove it; 1 when one does not show it within --timeout, 9 when one cannot be asked'
complete -c ratectl -n '__ratectl_in nodes' -l rounds -d 'with --probe: how many writes are measured (default 10)' -x
complete -c ratectl -n '__ratectl_in nodes' -l every -d 'with --probe: how long to wait between two (default 100ms)' -x
complete -c ratectl -n '__ratectl_in nodes' -l reason -d 'with --probe: why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in compare' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key shard node role configured_role counts look state used limit remaining reset_at used_delta differs cause link link_down lag_bytes clock_skew detail clock_doubt counter_expires_at expiry_expires_at counter_ttl expiry_ttl stored_used stored_reset_at looks read_at deployment error layout help)'
complete -c ratectl -n '__ratectl_in compare' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in compare' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in compare' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in compare' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in compare' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in compare' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in compare' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in compare' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in compare' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in compare' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in compare' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in compare' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in compare' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in compare' -l min-delta -d 'show no difference in used that is smaller, as long as it is the same window (default 1)' -x
complete -c ratectl -n '__ratectl_in compare' -l show-same -d 'with --match or --all: show windows that are the same everywhere, too'
complete -c ratectl -n '__ratectl_in compare' -l sort -d 'order rows by this column' -x -a 'key shard node role configured_role counts look state used limit remaining reset_at used_delta differs cause link link_down lag_bytes clock_skew detail clock_doubt counter_expires_at expiry_expires_at counter_ttl expiry_ttl stored_used stored_reset_at looks read_at deployment error layout'
complete -c ratectl -n '__ratectl_in compare' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in doctor' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list class key shard node status detail fixable why_not reason effect advice policy counter expiry counter_expires_at expiry_expires_at message op_id subject layout help)'
complete -c ratectl -n '__ratectl_in doctor' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in doctor' -l only -d 'only findings of these classes' -x -a '(__ratectl_list corrupt orphan-counter orphan-expiry expiry-absurd expiry-past leaked endless ttl-short ttl-long negative suffix-clash misplaced duplicate wrong-role two-primaries link-down replica-lag clock-skew can-evict memory-near-limit not-persisting scripts-denied commands-denied old-version cluster-node same-server masked-keys)'
complete -c ratectl -n '__ratectl_in doctor' -l skip -d 'no findings of these classes' -x -a '(__ratectl_list corrupt orphan-counter orphan-expiry expiry-absurd expiry-past leaked endless ttl-short ttl-long negative suffix-clash misplaced duplicate wrong-role two-primaries link-down replica-lag clock-skew can-evict memory-near-limit not-persisting scripts-denied commands-denied old-version cluster-node same-server masked-keys)'
complete -c ratectl -n '__ratectl_in doctor' -l sample -d 'only so many windows, or such a share of them, of every shard\'s keys' -x
complete -c ratectl -n '__ratectl_in doctor' -l rdb -d 'read this dump file instead of a server; several are one shard each; nothing can be repaired there' -x
complete -c ratectl -n '__ratectl_in doctor' -l classes -d 'print the classes and what each means, and do nothing else'
complete -c ratectl -n '__ratectl_in doctor' -l summary -d 'a row a class, with its count, instead of findings'
complete -c ratectl -n '__ratectl_in doctor' -l examples -d 'how many of each class a table shows (default 5; under -q all)' -x
complete -c ratectl -n '__ratectl_in doctor' -l all-findings -d 'show every finding; json, ndjson, csv and tsv always do'
complete -c ratectl -n '__ratectl_in doctor' -l max-latency -d 'how long a page may keep a server\'s other clients waiting; pages get as large as that allows (default: 1ms)' -x
complete -c ratectl -n '__ratectl_in doctor' -l ops -d 'at most so many commands a second to each server' -x
complete -c ratectl -n '__ratectl_in doctor' -l fix -d 'repair these classes, after a question; all: what can be and need not be named' -x -a '(__ratectl_list orphan-counter orphan-expiry expiry-absurd expiry-past leaked endless ttl-short ttl-long all)'
complete -c ratectl -n '__ratectl_in doctor' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in doctor' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in doctor' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in doctor' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in doctor' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in doctor' -l sort -d 'order rows by this column' -x -a 'class key shard node status detail fixable why_not reason effect advice policy counter expiry counter_expires_at expiry_expires_at message op_id subject layout'
complete -c ratectl -n '__ratectl_in doctor' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in sharding; and not __ratectl_word 2 >/dev/null' -a list -d 'every preset, a row each'
complete -c ratectl -n '__ratectl_in sharding; and not __ratectl_word 2 >/dev/null' -a show -d 'one preset: what it needs to be told, and its rules'
complete -c ratectl -n '__ratectl_in sharding; and not __ratectl_word 2 >/dev/null' -a verify -d 'look at real keys on every shard: are they where the configured rule has them?'
complete -c ratectl -n '__ratectl_in sharding; and not __ratectl_word 2 >/dev/null' -a guess -d 'try every rule on real keys: which one explains where they are?'
complete -c ratectl -n '__ratectl_in sharding list' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list preset about labels hash hashes key_tag weights points rule label order collisions options help)'
complete -c ratectl -n '__ratectl_in sharding list' -l sort -d 'order rows by this column' -x -a 'preset about labels hash hashes key_tag weights points rule label order collisions options'
complete -c ratectl -n '__ratectl_in sharding list' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in sharding show' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list preset about labels hash hashes key_tag weights points rule label order collisions options help)'
complete -c ratectl -n '__ratectl_in sharding show' -a 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis'
complete -c ratectl -n '__ratectl_in sharding verify' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list shard node sampled in_place misplaced in_place_percent complete stray belongs_on stranded help)'
complete -c ratectl -n '__ratectl_in sharding verify' -l sort -d 'order rows by this column' -x -a 'shard node sampled in_place misplaced in_place_percent complete stray belongs_on stranded'
complete -c ratectl -n '__ratectl_in sharding verify' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in sharding verify' -l sample -d 'how many windows of each shard to look at (default 2000)' -x
complete -c ratectl -n '__ratectl_in sharding guess' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list rank preset options servers in_place in_place_percent evidence sampled same help)'
complete -c ratectl -n '__ratectl_in sharding guess' -l sort -d 'order rows by this column' -x -a 'rank preset options servers in_place in_place_percent evidence sampled same'
complete -c ratectl -n '__ratectl_in sharding guess' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in sharding guess' -l sample -d 'how many windows of each shard to look at (default 2000)' -x
complete -c ratectl -n '__ratectl_in reshard; and not __ratectl_word 2 >/dev/null' -a plan -d 'how many windows would move, and which clients would notice'
complete -c ratectl -n '__ratectl_in reshard; and not __ratectl_word 2 >/dev/null' -a apply -d 'move the windows: copy, verify, then remove'
complete -c ratectl -n '__ratectl_in reshard plan' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list row key from to windows moved share used limit percent reset_at policy client help)'
complete -c ratectl -n '__ratectl_in reshard plan' -l state -d 'take windows in these states along, too; live ones always are' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in reshard plan' -l sort -d 'order rows by this column' -x -a 'row key from to windows moved share used limit percent reset_at policy client'
complete -c ratectl -n '__ratectl_in reshard plan' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in reshard plan' -l above -d 'list the clients that have used so much of their limit and would get a fresh window (default 80%)' -x
complete -c ratectl -n '__ratectl_in reshard apply' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key new_key from to status used reset_at why_not reason message because copies help)'
complete -c ratectl -n '__ratectl_in reshard apply' -l state -d 'take windows in these states along, too; live ones always are' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in reshard apply' -l sort -d 'order rows by this column' -x -a 'key new_key from to status used reset_at why_not reason message because copies'
complete -c ratectl -n '__ratectl_in reshard apply' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in reshard apply' -l merge -d 'where a newer window stands at the target, leave what would be there if the one that is moved had been there all the time'
complete -c ratectl -n '__ratectl_in reshard apply' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in reshard apply' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in reshard apply' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in reshard apply' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in reshard apply' -l op-id -d 'the operation\'s id, instead of a fresh one' -x
complete -c ratectl -n '__ratectl_in reshard apply' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in throttle; and not __ratectl_word 2 >/dev/null' -a show -d 'named ones: what is left, and their knobs'
complete -c ratectl -n '__ratectl_in throttle; and not __ratectl_word 2 >/dev/null' -a list -d 'all that have a bucket or knobs'
complete -c ratectl -n '__ratectl_in throttle; and not __ratectl_word 2 >/dev/null' -a reset -d 'fill them: their buckets go, their knobs stay'
complete -c ratectl -n '__ratectl_in throttle; and not __ratectl_word 2 >/dev/null' -a delete -d 'remove them, buckets and knobs'
complete -c ratectl -n '__ratectl_in throttle show' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list name key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout rps burst window knobs_expires_at help)'
complete -c ratectl -n '__ratectl_in throttle show' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in throttle list' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list name key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout rps burst window knobs_expires_at help)'
complete -c ratectl -n '__ratectl_in throttle list' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in throttle list' -l max-latency -d 'how long a page may keep a server\'s other clients waiting; pages get as large as that allows (default: 1ms)' -x
complete -c ratectl -n '__ratectl_in throttle list' -l ops -d 'at most so many commands a second to each server' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in throttle reset' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in throttle reset' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in throttle reset' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in throttle reset' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in throttle reset' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in throttle reset' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in throttle delete' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in throttle delete' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in throttle delete' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in throttle delete' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in throttle delete' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in throttle delete' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in throttle delete' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in knobs; and not __ratectl_word 2 >/dev/null' -a get -d 'what they say, and when they are forgotten'
complete -c ratectl -n '__ratectl_in knobs; and not __ratectl_word 2 >/dev/null' -a set -d 'turn some, and leave the others as they are'
complete -c ratectl -n '__ratectl_in knobs; and not __ratectl_word 2 >/dev/null' -a unset -d 'remove them: the application\'s own figures count'
complete -c ratectl -n '__ratectl_in knobs; and not __ratectl_word 2 >/dev/null' -a stop -d 'let no request through (rps 0)'
complete -c ratectl -n '__ratectl_in knobs; and not __ratectl_word 2 >/dev/null' -a unlimited -d 'let every request through (rps -1)'
complete -c ratectl -n '__ratectl_in knobs get' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list name key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout rps burst window knobs_expires_at help)'
complete -c ratectl -n '__ratectl_in knobs get' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in knobs set' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in knobs set' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in knobs set' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in knobs set' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in knobs set' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in knobs set' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in knobs set' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in knobs set' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in knobs set' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in knobs set' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in knobs set' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in knobs set' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in knobs set' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in knobs unset' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in knobs unset' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in knobs unset' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in knobs unset' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in knobs unset' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in knobs unset' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in knobs unset' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in knobs stop' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in knobs stop' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in knobs stop' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in knobs stop' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in knobs stop' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in knobs stop' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in knobs stop' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in knobs unlimited' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in knobs unlimited' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in knobs unlimited' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in knobs unlimited' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in knobs unlimited' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in knobs unlimited' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in knobs unlimited' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in running' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list name group count rate newest buckets span counted_at error help)'
complete -c ratectl -n '__ratectl_in running' -l group -d 'the group that they are counted in' -x
complete -c ratectl -n '__ratectl_in running' -l interval -d 'how long a bucket is, as the application has it' -x
complete -c ratectl -n '__ratectl_in running' -l buckets -d 'how many buckets count, as the application has it' -x
complete -c ratectl -n '__ratectl_in running' -l sort -d 'order rows by this column' -x -a 'name group count rate newest buckets span counted_at error'
complete -c ratectl -n '__ratectl_in running' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in governor; and not __ratectl_word 2 >/dev/null' -a run -d 'decide again and again, until told to stop'
complete -c ratectl -n '__ratectl_in governor; and not __ratectl_word 2 >/dev/null' -a step -d 'decide once, as cron wants it'
complete -c ratectl -n '__ratectl_in governor; and not __ratectl_word 2 >/dev/null' -a simulate -d 'what a tuning does to a model of a store, or to loads of a file'
complete -c ratectl -n '__ratectl_in governor; and not __ratectl_word 2 >/dev/null' -a explain -d 'who governs a throttle, and what was decided last'
complete -c ratectl -n '__ratectl_in governor' -s o -l output -d 'format of the rows, a table unless said' -x -a 'table wide json ndjson csv tsv name plot svg html'
complete -c ratectl -n '__ratectl_in governor run' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list at second throttle load load_share measured_at before rps why bound p i d turned store_load offered admitted status reason op deployment shard help)'
complete -c ratectl -n '__ratectl_in governor run' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in governor run' -l load-command -d 'run by the shell; the first line that it writes is the load' -x
complete -c ratectl -n '__ratectl_in governor run' -l load-file -d 'its last line is the load, which is as old as the file; `-`: standard input, a line a sample, until it ends' -r -F
complete -c ratectl -n '__ratectl_in governor run' -l query -d 'an instant query whose one result is the load' -x
complete -c ratectl -n '__ratectl_in governor run' -l load-prometheus -d 'the Prometheus server that is asked: http://HOST:9090' -x
complete -c ratectl -n '__ratectl_in governor run' -l load-token-file -d 'the token that it wants (Authorization: Bearer)' -r -F
complete -c ratectl -n '__ratectl_in governor run' -l load-ca-file -d 'who vouches for its certificate (default: the system\'s authorities)' -r -F
complete -c ratectl -n '__ratectl_in governor run' -l load-timeout -d 'how long a command or a query may take (default 5s), and never past --hold-for' -x
complete -c ratectl -n '__ratectl_in governor run' -l set-point -d 'the load to stay at; with several inputs one for all, or one for each: commands first, then files, then queries' -x
complete -c ratectl -n '__ratectl_in governor run' -l min -d 'the least rate, from which it begins when the breaker closes (default 1)' -x
complete -c ratectl -n '__ratectl_in governor run' -l max -d 'the greatest rate' -x
complete -c ratectl -n '__ratectl_in governor run' -l trip -d 'the breaker opens at so many times the set point (default 3)' -x
complete -c ratectl -n '__ratectl_in governor run' -l rearm -d 'a sample is calm up to so many times the set point (default 1)' -x
complete -c ratectl -n '__ratectl_in governor run' -l rearm-samples -d 'so many calm samples, one behind the other, close the breaker (default 2)' -x
complete -c ratectl -n '__ratectl_in governor run' -l open-rps -d 'what is let through while the breaker is open (default 0)' -x
complete -c ratectl -n '__ratectl_in governor run' -l rise -d 'a rate grows by no more than this a second (default 2%)' -x
complete -c ratectl -n '__ratectl_in governor run' -l fall -d 'a rate shrinks by no more than this a second, but for the breaker (default 20%)' -x
complete -c ratectl -n '__ratectl_in governor run' -l kp -d 'gain of a change of the error (default 0.2)' -x
complete -c ratectl -n '__ratectl_in governor run' -l ki -d 'gain of the error, a second (default 0.012)' -x
complete -c ratectl -n '__ratectl_in governor run' -l kd -d 'gain of the load\'s slope, in seconds (default 2)' -x
complete -c ratectl -n '__ratectl_in governor run' -l deadband -d 'a load so near to its set point is left as it is (default 3%)' -x
complete -c ratectl -n '__ratectl_in governor run' -l stale-after -d 'an older sample counts as none (default 1m)' -x
complete -c ratectl -n '__ratectl_in governor run' -l hold-for -d 'without a sample for so long the breaker opens (default 5m)' -x
complete -c ratectl -n '__ratectl_in governor run' -l apply -d 'write what is decided; without it nothing is written'
complete -c ratectl -n '__ratectl_in governor run' -l every -d 'how long from the beginning of one decision to that of the next (default 15s)' -x
complete -c ratectl -n '__ratectl_in governor run' -l lease -d 'how long no other run may govern it (default: three times --every and 15s)' -x
complete -c ratectl -n '__ratectl_in governor run' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in governor run' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in governor run' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in governor run' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in governor run' -l iterations -d 'end after so many decisions (default: when told to stop)' -x
complete -c ratectl -n '__ratectl_in governor step' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list at second throttle load load_share measured_at before rps why bound p i d turned store_load offered admitted status reason op deployment shard help)'
complete -c ratectl -n '__ratectl_in governor step' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in governor step' -l load-command -d 'run by the shell; the first line that it writes is the load' -x
complete -c ratectl -n '__ratectl_in governor step' -l load-file -d 'its last line is the load, which is as old as the file; `-`: standard input, a line a sample, until it ends' -r -F
complete -c ratectl -n '__ratectl_in governor step' -l query -d 'an instant query whose one result is the load' -x
complete -c ratectl -n '__ratectl_in governor step' -l load-prometheus -d 'the Prometheus server that is asked: http://HOST:9090' -x
complete -c ratectl -n '__ratectl_in governor step' -l load-token-file -d 'the token that it wants (Authorization: Bearer)' -r -F
complete -c ratectl -n '__ratectl_in governor step' -l load-ca-file -d 'who vouches for its certificate (default: the system\'s authorities)' -r -F
complete -c ratectl -n '__ratectl_in governor step' -l load-timeout -d 'how long a command or a query may take (default 5s), and never past --hold-for' -x
complete -c ratectl -n '__ratectl_in governor step' -l set-point -d 'the load to stay at; with several inputs one for all, or one for each: commands first, then files, then queries' -x
complete -c ratectl -n '__ratectl_in governor step' -l min -d 'the least rate, from which it begins when the breaker closes (default 1)' -x
complete -c ratectl -n '__ratectl_in governor step' -l max -d 'the greatest rate' -x
complete -c ratectl -n '__ratectl_in governor step' -l trip -d 'the breaker opens at so many times the set point (default 3)' -x
complete -c ratectl -n '__ratectl_in governor step' -l rearm -d 'a sample is calm up to so many times the set point (default 1)' -x
complete -c ratectl -n '__ratectl_in governor step' -l rearm-samples -d 'so many calm samples, one behind the other, close the breaker (default 2)' -x
complete -c ratectl -n '__ratectl_in governor step' -l open-rps -d 'what is let through while the breaker is open (default 0)' -x
complete -c ratectl -n '__ratectl_in governor step' -l rise -d 'a rate grows by no more than this a second (default 2%)' -x
complete -c ratectl -n '__ratectl_in governor step' -l fall -d 'a rate shrinks by no more than this a second, but for the breaker (default 20%)' -x
complete -c ratectl -n '__ratectl_in governor step' -l kp -d 'gain of a change of the error (default 0.2)' -x
complete -c ratectl -n '__ratectl_in governor step' -l ki -d 'gain of the error, a second (default 0.012)' -x
complete -c ratectl -n '__ratectl_in governor step' -l kd -d 'gain of the load\'s slope, in seconds (default 2)' -x
complete -c ratectl -n '__ratectl_in governor step' -l deadband -d 'a load so near to its set point is left as it is (default 3%)' -x
complete -c ratectl -n '__ratectl_in governor step' -l stale-after -d 'an older sample counts as none (default 1m)' -x
complete -c ratectl -n '__ratectl_in governor step' -l hold-for -d 'without a sample for so long the breaker opens (default 5m)' -x
complete -c ratectl -n '__ratectl_in governor step' -l apply -d 'write what is decided; without it nothing is written'
complete -c ratectl -n '__ratectl_in governor step' -l every -d 'how long from the beginning of one decision to that of the next (default 15s)' -x
complete -c ratectl -n '__ratectl_in governor step' -l lease -d 'how long no other run may govern it (default: three times --every and 15s)' -x
complete -c ratectl -n '__ratectl_in governor step' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in governor step' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in governor step' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in governor step' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list at second throttle load load_share measured_at before rps why bound p i d turned store_load offered admitted status reason op deployment shard help)'
complete -c ratectl -n '__ratectl_in governor simulate' -l set-point -d 'the load to stay at; with several inputs one for all, or one for each: commands first, then files, then queries' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l min -d 'the least rate, from which it begins when the breaker closes (default 1)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l max -d 'the greatest rate' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l trip -d 'the breaker opens at so many times the set point (default 3)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l rearm -d 'a sample is calm up to so many times the set point (default 1)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l rearm-samples -d 'so many calm samples, one behind the other, close the breaker (default 2)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l open-rps -d 'what is let through while the breaker is open (default 0)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l rise -d 'a rate grows by no more than this a second (default 2%)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l fall -d 'a rate shrinks by no more than this a second, but for the breaker (default 20%)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l kp -d 'gain of a change of the error (default 0.2)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l ki -d 'gain of the error, a second (default 0.012)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l kd -d 'gain of the load\'s slope, in seconds (default 2)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l deadband -d 'a load so near to its set point is left as it is (default 3%)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l stale-after -d 'an older sample counts as none (default 1m)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l hold-for -d 'without a sample for so long the breaker opens (default 5m)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l csv -d 'rows of time and load, `-` reads them: what would have been decided then?' -r -F
complete -c ratectl -n '__ratectl_in governor simulate' -l start -d 'the rate at the beginning (default: --max)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l every -d 'how long from one decision to the next (default 15s)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l duration -d 'how long the model runs (default 1h30m)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l offered -d 'what callers of the model make, on average over a day (default 150)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l swing -d 'by so much more at the peak, with which the day begins, and less in the trough' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l capacity -d 'what loads the model\'s store by 1, as long as its cost is 1 (default 50)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l background -d 'load of the store by other work (default 0)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l cost-at -d 'from then on a request costs so many times as much (default 30m=5)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l lag -d 'time constant of the store\'s load (default 20s)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l delay -d 'how old a load is when it is read (default 15s)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l noise -d 'what callers make varies by so much (default none)' -x
complete -c ratectl -n '__ratectl_in governor simulate' -l seed -d 'of the noise; the same seed is the same noise (default 1)' -x
complete -c ratectl -n '__ratectl_in governor explain' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list throttle governed actor host since until decided_at rps why bound load_share breaker_open help)'
complete -c ratectl -n '__ratectl_in governor explain' -l policy -d 'the policy that has them, where several are of throttles' -x -a '(__ratectl_names policies)'
complete -c ratectl -n '__ratectl_in limit; and not __ratectl_word 2 >/dev/null' -a trace -d 'every limit that a request of the client meets, in order'
complete -c ratectl -n '__ratectl_in limit trace' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list step policy verdict told key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help)'
complete -c ratectl -n '__ratectl_in limit trace' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in limit trace' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in limit trace' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in limit trace' -l exit-status -d '1 where the request is refused or a window is corrupt, 3 where a limit is unknown, 9 where one could not be asked for'
complete -c ratectl -n '__ratectl_in rollout; and not __ratectl_word 2 >/dev/null' -a show -d 'for whom features of Flipper are on'
complete -c ratectl -n '__ratectl_in rollout; and not __ratectl_word 2 >/dev/null' -a set -d 'turn a feature on for a percentage of its actors'
complete -c ratectl -n '__ratectl_in rollout; and not __ratectl_word 2 >/dev/null' -a who -d 'for which actors the feature is on at a percentage, and who moves to another'
complete -c ratectl -n '__ratectl_in rollout; and not __ratectl_word 2 >/dev/null' -a compare -d 'which of two deployments serves these clients, and what both have of them'
complete -c ratectl -n '__ratectl_in rollout; and not __ratectl_word 2 >/dev/null' -a copy -d 'carry windows over, so that no client starts afresh where it moves to'
complete -c ratectl -n '__ratectl_in rollout show' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list feature state percentage_of_actors percentage_of_time stored node role stale shard help)'
complete -c ratectl -n '__ratectl_in rollout show' -l sort -d 'order rows by this column' -x -a 'feature state percentage_of_actors percentage_of_time stored node role stale shard'
complete -c ratectl -n '__ratectl_in rollout show' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in rollout set' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in rollout set' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in rollout set' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in rollout set' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in rollout set' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in rollout set' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in rollout set' -l no-op-key -d 'leave no operation keys on the servers; a reply that is lost then stays unknown'
complete -c ratectl -n '__ratectl_in rollout set' -l sort -d 'order rows by this column' -x -a 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'
complete -c ratectl -n '__ratectl_in rollout set' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in rollout set' -l wait-replicas -d 'wait until so many replicas of each shard have the writes' -x
complete -c ratectl -n '__ratectl_in rollout set' -l wait-timeout -d 'how long to wait for them (default 1s)' -x
complete -c ratectl -n '__ratectl_in rollout set' -l show-replicas -d 'afterwards look at every replica, too, and print what each says (up to 100 keys)'
complete -c ratectl -n '__ratectl_in rollout who' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list actor bucket from on then moves help)'
complete -c ratectl -n '__ratectl_in rollout who' -l feature -d 'the feature\'s name' -x
complete -c ratectl -n '__ratectl_in rollout who' -l at -d 'the percentage of actors for which it is on' -x
complete -c ratectl -n '__ratectl_in rollout who' -l then -d 'another percentage: who moves from the one to the other?' -x
complete -c ratectl -n '__ratectl_in rollout who' -l sort -d 'order rows by this column' -x -a 'actor bucket from on then moves'
complete -c ratectl -n '__ratectl_in rollout who' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in rollout compare' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key client actor bucket moved served_by old_state old_used old_remaining old_reset_at new_state new_used new_remaining new_reset_at standing given_anew limit help)'
complete -c ratectl -n '__ratectl_in rollout compare' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in rollout compare' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in rollout compare' -l policy -d 'only keys of these policies' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in rollout compare' -l old -d 'the deployment that clients move from: its name, or FILE, or FILE:DEPLOYMENT, or memcached://HOST:PORT; -d or -u names the one that they move to' -x
complete -c ratectl -n '__ratectl_in rollout compare' -l feature -d 'the feature\'s name' -x
complete -c ratectl -n '__ratectl_in rollout compare' -l at -d 'the percentage of actors for which it is on, in the place of what Flipper has stored in the new deployment' -x
complete -c ratectl -n '__ratectl_in rollout compare' -l actor -d 'what the application calls a client where it asks for the feature: \'User;{client}\' (default: {client}); rows of `-` may name it so' -x
complete -c ratectl -n '__ratectl_in rollout compare' -l sort -d 'order rows by this column' -x -a 'key client actor bucket moved served_by old_state old_used old_remaining old_reset_at new_state new_used new_remaining new_reset_at standing given_anew limit'
complete -c ratectl -n '__ratectl_in rollout compare' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in rollout copy' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help)'
complete -c ratectl -n '__ratectl_in rollout copy' -l client -d 'every key of this client, over all policies; `-` reads ids from standard input' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l org -d 'the organisation of the clients: its windows as well, where a policy has org_key; where no client is named, only its windows' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l set -d 'what another hole of the clients\' keys holds, as in --set route=search; repeatable' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l path -d 'of a request of the clients: only under policies that limit it (paths in the configuration)' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l match -d 'every window whose key matches this pattern' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l all -d 'every window that a policy knows; with --match, whatever the pattern catches'
complete -c ratectl -n '__ratectl_in rollout copy' -l input -d 'what `-` holds (default: what its first line shows; keys, one a line, where it shows nothing)' -x -a 'keys ndjson csv tsv json'
complete -c ratectl -n '__ratectl_in rollout copy' -l policy -d 'only keys of these policies; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names policies))'
complete -c ratectl -n '__ratectl_in rollout copy' -l class -d 'only clients of these classes; all of them where nothing else is named' -x -a '(__ratectl_list (__ratectl_names classes))'
complete -c ratectl -n '__ratectl_in rollout copy' -l state -d 'only windows in these states, as the column state prints them' -x -a '(__ratectl_list absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative)'
complete -c ratectl -n '__ratectl_in rollout copy' -l min-used -d 'only windows with at least this many requests, or this share of their limit, used' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l resets-within -d 'only open windows that end within this time' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l shard -d 'only these shards' -x -a '(__ratectl_list (__ratectl_names shards))'
complete -c ratectl -n '__ratectl_in rollout copy' -l actor -d 'what the application calls a client where it asks for the feature: \'User;{client}\' (default: {client}); rows of `-` may name it so' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l old -d 'the deployment that clients move from: its name, or FILE, or FILE:DEPLOYMENT, or memcached://HOST:PORT; -d or -u names the one that they move to' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l max-keys -d 'refuse to touch more keys than this' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l expect -d 'refuse unless it is exactly this many keys' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l confirm -d 'the deployment\'s name, where typing it is asked for' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l reason -d 'why; some deployments want one for every change' -x
complete -c ratectl -n '__ratectl_in rollout copy' -l op-id -d 'the operation\'s id: repeated under the same id, a change happens once' -x
complete -c ratectl -n '__ratectl_in config; and not __ratectl_word 2 >/dev/null' -a init -d 'write a commented configuration to start from'
complete -c ratectl -n '__ratectl_in config; and not __ratectl_word 2 >/dev/null' -a import -d 'a configuration from a twemproxy pool, or from a list of URLs'
complete -c ratectl -n '__ratectl_in config; and not __ratectl_word 2 >/dev/null' -a check -d 'prove the configuration, and look for what is odd in it'
complete -c ratectl -n '__ratectl_in config; and not __ratectl_word 2 >/dev/null' -a show -d 'every value that is in force, and where it comes from'
complete -c ratectl -n '__ratectl_in config; and not __ratectl_word 2 >/dev/null' -a names -d 'what the configuration gives a name to; shells complete with it'
complete -c ratectl -n '__ratectl_in config init' -l file -d 'write this file instead of your own configuration; - is standard output' -r -F
complete -c ratectl -n '__ratectl_in config init' -l force -d 'replace the file if it is there'
complete -c ratectl -n '__ratectl_in config init' -l name -d 'the deployment\'s name, main unless said' -x
complete -c ratectl -n '__ratectl_in config init' -l primary -d 'a shard\'s primary, redis://HOST:PORT or SHARD=redis://HOST:PORT' -x
complete -c ratectl -n '__ratectl_in config init' -l replica -d 'a replica, SHARD=URL or URL; auto instead of a URL asks the primary' -x
complete -c ratectl -n '__ratectl_in config init' -l policy -d 'a policy, for instance core=core:{client}:5000/1h' -x
complete -c ratectl -n '__ratectl_in config init' -l from-server -d 'look at keys of the servers, and write policies of the limiters that surely wrote them'
complete -c ratectl -n '__ratectl_in config import' -l name -d 'the deployment\'s name; the pool\'s, or main, unless said' -x
complete -c ratectl -n '__ratectl_in config import' -l file -d 'write this file, which must not be there yet; - is standard output' -r -F
complete -c ratectl -n '__ratectl_in config import' -a 'twemproxy urls'
complete -c ratectl -n '__ratectl_in config check' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list check result detail origin deployment help)'
complete -c ratectl -n '__ratectl_in config check' -l connect -d 'ask every server, too: does it answer, is it what it should be'
complete -c ratectl -n '__ratectl_in config check' -l sort -d 'order rows by this column' -x -a 'check result detail origin deployment'
complete -c ratectl -n '__ratectl_in config check' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in config show' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list name value origin help)'
complete -c ratectl -n '__ratectl_in config show' -l sort -d 'order rows by this column' -x -a 'name value origin'
complete -c ratectl -n '__ratectl_in config show' -l reverse -d 'the other way round'
complete -c ratectl -n '__ratectl_in config names' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list name kind help)'
complete -c ratectl -n '__ratectl_in config names' -a 'deployments policies shards classes operations'
complete -c ratectl -n '__ratectl_in acl; and not __ratectl_word 2 >/dev/null' -a reader -d 'an account that can look, and change nothing'
complete -c ratectl -n '__ratectl_in acl; and not __ratectl_word 2 >/dev/null' -a operator -d 'an account that can look, and change windows'
complete -c ratectl -n '__ratectl_in acl reader' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list rule kind needed_for user server help)'
complete -c ratectl -n '__ratectl_in acl reader' -l user -d 'the account\'s name, ratectl-reader or ratectl-operator unless said' -x
complete -c ratectl -n '__ratectl_in acl reader' -l password-sha256 -d 'the SHA-256 of its password, in hex' -x
complete -c ratectl -n '__ratectl_in acl reader' -l server -d 'the kind of servers: 6, or 7 for every later one and Valkey; else they are asked' -x -a '6 7'
complete -c ratectl -n '__ratectl_in acl reader' -l format -d 'a command for redis-cli (unless said), or a line of the file of users' -x -a 'redis-cli aclfile'
complete -c ratectl -n '__ratectl_in acl operator' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list rule kind needed_for user server help)'
complete -c ratectl -n '__ratectl_in acl operator' -l user -d 'the account\'s name, ratectl-reader or ratectl-operator unless said' -x
complete -c ratectl -n '__ratectl_in acl operator' -l password-sha256 -d 'the SHA-256 of its password, in hex' -x
complete -c ratectl -n '__ratectl_in acl operator' -l server -d 'the kind of servers: 6, or 7 for every later one and Valkey; else they are asked' -x -a '6 7'
complete -c ratectl -n '__ratectl_in acl operator' -l format -d 'a command for redis-cli (unless said), or a line of the file of users' -x -a 'redis-cli aclfile'
complete -c ratectl -n '__ratectl_in sandbox; and not __ratectl_word 2 >/dev/null' -a up -d 'start servers and print how to make ratectl use them'
complete -c ratectl -n '__ratectl_in sandbox; and not __ratectl_word 2 >/dev/null' -a status -d 'which of its servers are running'
complete -c ratectl -n '__ratectl_in sandbox; and not __ratectl_word 2 >/dev/null' -a down -d 'end its servers, and only them, and remove its files'
complete -c ratectl -n '__ratectl_in sandbox; and not __ratectl_word 2 >/dev/null' -a run -d 'start servers, run a command on them, end them'
complete -c ratectl -n '__ratectl_in sandbox up' -l kind -d 'shards alone, shards whose failovers three sentinels see to, or a Redis Cluster; shards unless said' -x -a 'shards sentinel cluster'
complete -c ratectl -n '__ratectl_in sandbox up' -l shards -d 'how many shards, 3 unless said, 2 with sentinels' -x
complete -c ratectl -n '__ratectl_in sandbox up' -l replicas -d 'how many replicas each shard has, 1 unless said' -x
complete -c ratectl -n '__ratectl_in sandbox up' -l dir -d 'keep everything in this new folder instead of a temporary one' -x
complete -c ratectl -n '__ratectl_in sandbox status' -l columns -d 'which columns, in this order; help lists them' -x -a '(__ratectl_list shard role address pid state help)'
complete -c ratectl -n '__ratectl_in sandbox status' -l dir -d 'the sandbox\'s folder, instead of RATECTL_CONFIG\'s' -x
complete -c ratectl -n '__ratectl_in sandbox down' -l dir -d 'the sandbox\'s folder, instead of RATECTL_CONFIG\'s' -x
complete -c ratectl -n '__ratectl_in sandbox run' -l kind -d 'shards alone, shards whose failovers three sentinels see to, or a Redis Cluster; shards unless said' -x -a 'shards sentinel cluster'
complete -c ratectl -n '__ratectl_in sandbox run' -l shards -d 'how many shards, 3 unless said, 2 with sentinels' -x
complete -c ratectl -n '__ratectl_in sandbox run' -l replicas -d 'how many replicas each shard has, 1 unless said' -x
complete -c ratectl -n '__ratectl_in completion' -a 'bash zsh fish'
complete -c ratectl -n '__ratectl_in help' -l man -d 'print the manual page in roff instead'
complete -c ratectl -n '__ratectl_in help' -a 'check client explain headers scan watch stats top increment refund reset apply history undo replay locate identify nodes compare doctor sharding reshard throttle knobs running governor limit rollout config acl sandbox completion help exit-codes output configuration sharding semantics safety environment'
