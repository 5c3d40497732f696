# bash completion for ratectl; made by `ratectl completion bash`.
# The words are fixed. Names of deployments, policies, shards and classes come from `ratectl config names`; bash gets them
# quoted and evaluates nothing, neither them nor what stands on the command line.

_ratectl_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_ratectl_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# Takes the backslashes off a word; fails where the shell would have something to evaluate or quotes to match.
_ratectl_plain() {
    local rest=$1
    plain=''
    while [[ -n $rest ]]; do
        case $rest in
            \\?*) plain+=${rest:1:1} rest=${rest:2} ;;
            [\'\"\$\`\\]*) return 1 ;;
            *) plain+=${rest:0:1} rest=${rest:1} ;;
        esac
    done
    [[ $1 != \~/* ]] || plain=$HOME/${plain:2}
}

# A name with spaces or quotes is offered as it has to be typed.
_ratectl_names() {
    local name written names=()
    ((unsure)) && return
    mapfile -t names < <(command ratectl config names "$1" -o name "${given[@]}" 2>/dev/null </dev/null)
    for name in "${names[@]}"; do
        printf -v written %q "$name"
        [[ $name == "$cur"* || $written == "$cur"* ]] && COMPREPLY+=("$written")
    done
}

_ratectl_in_common() {
    case $prev in
        -c | --config) _ratectl_files; return 0 ;;
        -d | --deployment) _ratectl_names deployments; return 0 ;;
        -u | --url) :; return 0 ;;
        --sharding) _ratectl_words 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis all-shards'; return 0 ;;
        --from) _ratectl_words 'primary replica all'; return 0 ;;
        --max-staleness) :; return 0 ;;
        --expiry-suffix) :; return 0 ;;
        --timeout) :; return 0 ;;
        --deadline) :; return 0 ;;
        --now) :; return 0 ;;
        --limit) :; return 0 ;;
        --period) :; return 0 ;;
        --key) :; return 0 ;;
        -o | --output) _ratectl_words 'table wide json ndjson csv tsv name github prometheus html'; return 0 ;;
        --columns) _ratectl_words 'help'; return 0 ;;
        --color) _ratectl_words 'auto always never'; return 0 ;;
        --tz) :; return 0 ;;
        --key-format) _ratectl_words 'raw escaped hex base64'; return 0 ;;
        --messages) _ratectl_words 'text json'; return 0 ;;
        --journal) :; return 0 ;;
        --audit) :; return 0 ;;
    esac
    return 1
}

_ratectl() {
    local cur prev command='' child='' word skip=0 i flag='' plain='' unsure=0 given=()
    COMPREPLY=()
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == '=' ]]; then
        cur=''
    elif [[ $prev == '=' ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((skip)); then
            [[ $word == '=' ]] && continue
            skip=0
            case $flag in
                -c | --config | -d | --deployment) _ratectl_plain "$word" && given+=("$flag" "$plain") || unsure=1 ;;
            esac
            continue
        fi
        flag=$word
        case $word in
            --above | --amount | --at-limit | --audit | --class | --client | --color | --columns | --config | --confirm | --deadline | --deployment | --dialect | --dir | --every | --examples | --expect | --expiry-suffix | --file | --first | --fix | --format | --from | --if-used-at-least | --if-window | --input | --journal | --key | --key-format | --last | --limit | --look | --match | --max-keys | --max-latency | --max-staleness | --messages | --min-delta | --min-used | --name | --names | --now | --only | --op | --op-id | --ops | --org | --output | --password-sha256 | --period | --plan | --policy | --primary | --rdb | --reason | --refund-status | --replica | --replicas | --resets-within | --resume | --rounds | --rows | --sample | --server | --set | --shard | --sharding | --shards | --since | --skip | --sort | --state | --time | --timeout | --top | --tz | --until | --url | --user | --verify | --wait-replicas | --wait-timeout | --write | -N | -c | -d | -o | -u) skip=1 ;;
            -*) ;;
            *)
                if [[ -z $command ]]; then
                    command=$word
                elif [[ -z $child ]]; then
                    child=$word
                fi
                ;;
        esac
    done
    if [[ -z $command ]]; then
        _ratectl_in_common && return
        if [[ $cur == -* ]]; then
            _ratectl_words '--config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
        else
            _ratectl_words 'check client explain headers scan watch stats top increment refund reset apply history undo replay locate nodes compare doctor sharding reshard config acl sandbox completion help'
        fi
        return
    fi
    _ratectl_in_common && return
    case $command in sharding | reshard | config | acl | sandbox) ;; *) child='' ;; esac
    case $command${child:+ $child} in
        'check')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --sort) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --look --as-script --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'client')
            case $prev in
                --org) :; return ;;
                --set) :; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --sort) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--org --set --sweep --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --look --as-script --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'explain')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --redact --exit-status --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'headers')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --dialect) :; return ;;
                --verify) _ratectl_files; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --dialect --verify --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'scan')
            case $prev in
                --match) :; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --sort) :; return ;;
                --top) :; return ;;
                --first) :; return ;;
                --rdb) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
                --resume) _ratectl_files; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --top --first --count --duplicates --orphans --rdb --max-latency --ops --look --resume --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'watch')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --until) :; return ;;
                --every) :; return ;;
                --rounds) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --until --any --every --rounds --look --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'stats')
            case $prev in
                --match) :; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --at-limit) :; return ;;
                --names) :; return ;;
                --rdb) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --at-limit --names --exit-status --orphans --rdb --max-latency --ops --look --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'top')
            case $prev in
                --match) :; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --sort) :; return ;;
                -N | --rows) :; return ;;
                --every) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --sort --reverse --rows --every --max-latency --ops --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'increment')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --amount) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --plan) _ratectl_files; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --amount --max-keys --expect --confirm --reason --op-id --plan --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'refund')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --amount) :; return ;;
                --if-window) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --plan) _ratectl_files; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --amount --clamp --if-window --max-keys --expect --confirm --reason --op-id --plan --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reset')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --if-window) :; return ;;
                --if-used-at-least) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --plan) _ratectl_files; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --if-window --if-used-at-least --max-keys --expect --confirm --reason --op-id --plan --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'apply')
            case $prev in
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--strict --max-keys --expect --confirm --reason --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_files
            fi
            ;;
        'history')
            case $prev in
                --since) :; return ;;
                --until) :; return ;;
                --op) :; return ;;
                --last) :; return ;;
                --client) :; return ;;
                --match) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--since --until --op --last --client --match --on-servers --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'undo')
            case $prev in
                --client) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--merge --force --client --max-keys --expect --confirm --reason --op-id --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'replay')
            case $prev in
                --policy) _ratectl_names policies; return ;;
                --refund-status) :; return ;;
                --time) _ratectl_words 'log now'; return ;;
                --since) :; return ;;
                --until) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --refund-status --enforce --time --since --until --max-keys --expect --confirm --reason --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_files
            fi
            ;;
        'locate')
            case $prev in
                --client) :; return ;;
                --policy) _ratectl_names policies; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --policy --input --steps --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'nodes')
            case $prev in
                --shard) _ratectl_names shards; return ;;
                --rounds) :; return ;;
                --every) :; return ;;
                --reason) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--shard --probe --rounds --every --reason --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'compare')
            case $prev in
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) _ratectl_names policies; return ;;
                --class) _ratectl_names classes; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_names shards; return ;;
                --min-delta) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --match --all --input --policy --class --state --min-used --resets-within --shard --min-delta --show-same --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'doctor')
            case $prev in
                --shard) _ratectl_names shards; return ;;
                --only) :; return ;;
                --skip) :; return ;;
                --sample) :; return ;;
                --rdb) :; return ;;
                --examples) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --fix) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--shard --only --skip --sample --rdb --classes --summary --examples --all-findings --max-latency --ops --fix --max-keys --expect --confirm --reason --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'list show verify guess'
            fi
            ;;
        'sharding list')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding show')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis'
            fi
            ;;
        'sharding verify')
            case $prev in
                --sample) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--sample --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding guess')
            case $prev in
                --sample) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--sample --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reshard')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'plan apply'
            fi
            ;;
        'reshard plan')
            case $prev in
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --above) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--state --above --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reshard apply')
            case $prev in
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--state --max-keys --expect --confirm --reason --op-id --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'init import check show names'
            fi
            ;;
        'config init')
            case $prev in
                --file) _ratectl_files; return ;;
                --name) :; return ;;
                --primary) :; return ;;
                --replica) :; return ;;
                --policy) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--file --force --name --primary --replica --policy --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config import')
            case $prev in
                --name) :; return ;;
                --write) _ratectl_files; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--name --write --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'twemproxy urls'
            fi
            ;;
        'config check')
            if [[ $cur == -* ]]; then
                _ratectl_words '--connect --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config show')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config names')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'deployments policies shards classes'
            fi
            ;;
        'acl')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'reader operator'
            fi
            ;;
        'acl reader')
            case $prev in
                --user) :; return ;;
                --password-sha256) :; return ;;
                --server) _ratectl_words '6 7'; return ;;
                --format) _ratectl_words 'redis-cli aclfile'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--user --password-sha256 --server --format --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'acl operator')
            case $prev in
                --user) :; return ;;
                --password-sha256) :; return ;;
                --server) _ratectl_words '6 7'; return ;;
                --format) _ratectl_words 'redis-cli aclfile'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--user --password-sha256 --server --format --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'up status down run'
            fi
            ;;
        'sandbox up')
            case $prev in
                --shards) :; return ;;
                --replicas) :; return ;;
                --dir) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--shards --replicas --dir --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox status')
            case $prev in
                --dir) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--dir --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox down')
            case $prev in
                --dir) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--dir --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox run')
            case $prev in
                --shards) :; return ;;
                --replicas) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--shards --replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'completion')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'bash zsh fish'
            fi
            ;;
        'help')
            if [[ $cur == -* ]]; then
                _ratectl_words '--man --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'check client explain headers scan watch stats top increment refund reset apply history undo replay locate nodes compare doctor sharding reshard config acl sandbox completion help exit-codes output configuration sharding semantics safety environment'
            fi
            ;;
    esac
}

complete -F _ratectl ratectl
