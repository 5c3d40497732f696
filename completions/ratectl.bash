# bash completion for ratectl; made by `ratectl completion bash`.
# Every word below is fixed: no key, file content or configuration is ever read or evaluated.

_ratectl_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_ratectl_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

_ratectl_in_common() {
    case $prev in
        -c | --config) _ratectl_files; return 0 ;;
        -d | --deployment) :; return 0 ;;
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
        -o | --output) _ratectl_words 'table wide json ndjson csv tsv name'; return 0 ;;
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
    local cur prev command='' child='' word skip=0 i
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
            [[ $word == '=' ]] || skip=0
            continue
        fi
        case $word in
            --above | --amount | --audit | --class | --client | --color | --columns | --config | --confirm | --deadline | --deployment | --dialect | --dir | --every | --examples | --expect | --expiry-suffix | --file | --first | --fix | --format | --from | --if-used-at-least | --if-window | --input | --journal | --key | --key-format | --last | --limit | --look | --match | --max-keys | --max-latency | --max-staleness | --messages | --min-delta | --min-used | --name | --now | --only | --op | --op-id | --ops | --output | --password-sha256 | --period | --plan | --policy | --primary | --rdb | --reason | --refund-status | --replica | --replicas | --resets-within | --resume | --rounds | --sample | --server | --shard | --sharding | --shards | --since | --skip | --sort | --state | --time | --timeout | --top | --tz | --until | --url | --user | --verify | --wait-replicas | --wait-timeout | --write | -c | -d | -o | -u) skip=1 ;;
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
            _ratectl_words '--config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
        else
            _ratectl_words 'check client explain headers scan increment refund reset apply history undo replay locate nodes compare doctor sharding reshard config acl sandbox completion help'
        fi
        return
    fi
    _ratectl_in_common && return
    case $command in sharding | reshard | config | acl | sandbox) ;; *) child='' ;; esac
    case $command${child:+ $child} in
        'check')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
                --sort) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --look --as-script --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'client')
            case $prev in
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
                --sort) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --look --as-script --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'explain')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --redact --exit-status --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'headers')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
                --dialect) :; return ;;
                --verify) _ratectl_files; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --dialect --verify --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'scan')
            case $prev in
                --match) :; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
                --sort) :; return ;;
                --top) :; return ;;
                --first) :; return ;;
                --rdb) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --resume) _ratectl_files; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --top --first --count --orphans --duplicates --rdb --max-latency --ops --resume --look --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'increment')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
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
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --amount --max-keys --expect --confirm --reason --op-id --plan --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'refund')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
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
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --amount --clamp --if-window --max-keys --expect --confirm --reason --op-id --plan --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reset')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
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
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --if-window --if-used-at-least --max-keys --expect --confirm --reason --op-id --plan --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--strict --max-keys --expect --confirm --reason --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--since --until --op --last --on-servers --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'undo')
            case $prev in
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--merge --force --max-keys --expect --confirm --reason --op-id --no-op-key --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'replay')
            case $prev in
                --policy) :; return ;;
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
                _ratectl_words '--policy --refund-status --enforce --time --since --until --max-keys --expect --confirm --reason --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_files
            fi
            ;;
        'locate')
            case $prev in
                --client) :; return ;;
                --policy) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --policy --input --steps --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'nodes')
            case $prev in
                --shard) :; return ;;
                --rounds) :; return ;;
                --every) :; return ;;
                --reason) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--shard --probe --rounds --every --reason --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'compare')
            case $prev in
                --client) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv'; return ;;
                --policy) :; return ;;
                --class) :; return ;;
                --state) _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) :; return ;;
                --min-delta) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --match --all --input --policy --class --state --min-used --resets-within --shard --min-delta --show-same --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'doctor')
            case $prev in
                --shard) :; return ;;
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
                _ratectl_words '--shard --only --skip --sample --rdb --classes --summary --examples --all-findings --max-latency --ops --fix --max-keys --expect --confirm --reason --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'list show verify guess'
            fi
            ;;
        'sharding list')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding show')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis'
            fi
            ;;
        'sharding verify')
            case $prev in
                --sample) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--sample --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding guess')
            case $prev in
                --sample) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--sample --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reshard')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--state --above --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--state --max-keys --expect --confirm --reason --op-id --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'init import check show'
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
                _ratectl_words '--file --force --name --primary --replica --policy --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--name --write --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'twemproxy urls'
            fi
            ;;
        'config check')
            if [[ $cur == -* ]]; then
                _ratectl_words '--connect --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config show')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'acl')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--user --password-sha256 --server --format --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--user --password-sha256 --server --format --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--shards --replicas --dir --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox status')
            case $prev in
                --dir) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--dir --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox down')
            case $prev in
                --dir) :; return ;;
            esac
            if [[ $cur == -* ]]; then
                _ratectl_words '--dir --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
                _ratectl_words '--shards --replicas --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'completion')
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'bash zsh fish'
            fi
            ;;
        'help')
            if [[ $cur == -* ]]; then
                _ratectl_words '--man --config --deployment --url --sharding --all-shards --from --max-staleness --expiry-suffix --timeout --deadline --now --limit --period --key --output --json --columns --no-header --color --tz --key-format --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'check client explain headers scan increment refund reset apply history undo replay locate nodes compare doctor sharding reshard config acl sandbox completion help exit-codes output configuration sharding semantics safety environment'
            fi
            ;;
    esac
}

complete -F _ratectl ratectl
