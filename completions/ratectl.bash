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

# A value that may be several words: what stands before the last comma stays.
_ratectl_list() {
    local before='' i
    if [[ $cur == *,* ]]; then
        before=${cur%,*},
        cur=${cur##*,}
    fi
    "$@"
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$before${COMPREPLY[i]}; done
}

_ratectl_in_common() {
    case $prev in
        -c | --config) _ratectl_files; return 0 ;;
        -d | --deployment) _ratectl_names deployments; return 0 ;;
        -u | --url) :; return 0 ;;
        --sharding) _ratectl_words 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis all-shards'; return 0 ;;
        --from) _ratectl_words 'primary replica all'; return 0 ;;
        --max-staleness) :; return 0 ;;
        --scheme) :; return 0 ;;
        --expiry-suffix) :; return 0 ;;
        --timeout) :; return 0 ;;
        --deadline) :; return 0 ;;
        --now) _ratectl_words 'now today yesterday'; return 0 ;;
        --limit) :; return 0 ;;
        --period) :; return 0 ;;
        --burst) :; return 0 ;;
        --key) :; return 0 ;;
        -o | --output) _ratectl_words 'table wide json ndjson csv tsv name'; return 0 ;;
        --columns) :; return 0 ;;
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
            --above | --actor | --amount | --at | --at-limit | --audit | --background | --buckets | --burst | --capacity | --class | --client | --color | --columns | --config | --confirm | --cost-at | --csv | --deadband | --deadline | --delay | --deployment | --dialect | --dir | --duration | --every | --examples | --expect | --expiry-suffix | --fall | --feature | --file | --first | --fix | --format | --from | --group | --hold-for | --if-used-at-least | --if-window | --input | --interval | --iterations | --journal | --kd | --key | --key-format | --ki | --kind | --kp | --lag | --last | --lease | --limit | --load-ca-file | --load-command | --load-file | --load-prometheus | --load-timeout | --load-token-file | --look | --match | --max | --max-keys | --max-latency | --max-staleness | --messages | --min | --min-delta | --min-used | --name | --names | --noise | --now | --offered | --old | --only | --op | --op-id | --open-rps | --ops | --org | --output | --password-sha256 | --path | --period | --plan | --policy | --primary | --query | --rdb | --rearm | --rearm-samples | --reason | --refund-status | --replica | --replicas | --resets-within | --resume | --rise | --rounds | --rows | --rps | --sample | --scheme | --seed | --server | --set | --set-point | --shard | --sharding | --shards | --since | --skip | --sort | --stale-after | --start | --state | --swing | --then | --time | --timeout | --top | --trip | --tz | --until | --url | --user | --verify | --wait-replicas | --wait-timeout | --window | --write | -N | -c | -d | -o | -u) skip=1 ;;
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
            _ratectl_words '--config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
        else
            _ratectl_words 'check client explain headers scan watch stats top increment refund reset apply history undo replay locate identify nodes compare doctor sharding reshard throttle knobs running governor limit rollout config acl sandbox completion help'
        fi
        return
    fi
    case $command in sharding | reshard | throttle | knobs | governor | limit | rollout | config | acl | sandbox) ;; *) child='' ;; esac
    case $command${child:+ $child} in
        'check')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --sort) _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout'; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --look --as-script --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'client')
            case $prev in
                -o | --output) _ratectl_words 'table wide json ndjson csv tsv name github'; return ;;
                --columns) _ratectl_list _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help'; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --sort) _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout'; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--org --set --path --sweep --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --look --as-script --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'explain')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key verdict reason used limit limit_source remaining reset_at reset_at_local reset_in allowed_from ended_at state shard node standing clock_skew read_at servers differ answers causes details silent findings finding_details changes changed_at change changed_by change_op policy client client_class period deployment now stored_used stored_reset_at advice text layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --sort) _ratectl_words 'key verdict reason used limit limit_source remaining reset_at reset_at_local reset_in allowed_from ended_at state shard node standing clock_skew read_at servers differ answers causes details silent findings finding_details changes changed_at change changed_by change_op policy client client_class period deployment now stored_used stored_reset_at advice text layout'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --sort --reverse --redact --exit-status --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'headers')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key policy dialect name value shard node read_at stale state reset_at stored_used stored_reset_at layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --dialect) _ratectl_words 'github legacy draft-7 draft-8 retry-after'; return ;;
                --verify) _ratectl_files; return ;;
                --sort) _ratectl_words 'key policy dialect name value shard node read_at stale state reset_at stored_used stored_reset_at layout'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --input --policy --class --state --min-used --resets-within --shard --dialect --verify --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'scan')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help'; return ;;
                --match) :; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --sort) _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout'; return ;;
                --top) :; return ;;
                --first) :; return ;;
                --rdb) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
                --resume) _ratectl_files; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --sort --reverse --exit-status --top --first --count --duplicates --orphans --rdb --max-latency --ops --look --resume --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'watch')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'at key event used delta limit remaining percent state reset_at reset_in rate exhausts_in exhausts_before_reset shard node role stale deployment policy client client_class limit_source look stored_used stored_reset_at counter_type counter_ttl expiry_ttl layout error help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --until) _ratectl_list _ratectl_words 'ended exhausted below: absent changed'; return ;;
                --every) :; return ;;
                --rounds) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --until --any --every --rounds --look --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'stats')
            case $prev in
                -o | --output) _ratectl_words 'table wide json ndjson csv tsv name prometheus html'; return ;;
                --columns) _ratectl_list _ratectl_words 'kind name from to count help'; return ;;
                --match) :; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --at-limit) :; return ;;
                --names) :; return ;;
                --rdb) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --look) _ratectl_words 'light full'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --at-limit --names --exit-status --orphans --rdb --max-latency --ops --look --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'top')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help'; return ;;
                --match) :; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --sort) _ratectl_words 'used percent rate reset key'; return ;;
                -N | --rows) :; return ;;
                --every) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--match --policy --class --state --min-used --resets-within --shard --sort --reverse --rows --every --max-latency --ops --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'increment')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --amount) :; return ;;
                --if-window) _ratectl_words 'now today yesterday'; return ;;
                --if-used-at-least) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --plan) _ratectl_files; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --amount --if-window --if-used-at-least --max-keys --expect --confirm --reason --op-id --plan --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'refund')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --amount) :; return ;;
                --if-window) _ratectl_words 'now today yesterday'; return ;;
                --if-used-at-least) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --plan) _ratectl_files; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --amount --clamp --if-window --if-used-at-least --max-keys --expect --confirm --reason --op-id --plan --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reset')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --if-window) _ratectl_words 'now today yesterday'; return ;;
                --if-used-at-least) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --plan) _ratectl_files; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --if-window --if-used-at-least --max-keys --expect --confirm --reason --op-id --plan --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'apply')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--strict --max-keys --expect --confirm --reason --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_files
            fi
            ;;
        'history')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'op time command kind deployment shard node run_id key amount status source change before_used before_reset_at after_used after_reset_at taken stored_before stored_reset_before counter_expired_at_ms expiry_expired_at_ms why_not reason because reason_text actor host undoes undone_by undone_at answered_at help'; return ;;
                --since) _ratectl_words 'now today yesterday'; return ;;
                --until) _ratectl_words 'now today yesterday'; return ;;
                --op) _ratectl_names operations; return ;;
                --last) :; return ;;
                --client) :; return ;;
                --match) :; return ;;
                --sort) _ratectl_words 'op time command kind deployment shard node run_id key amount status source change before_used before_reset_at after_used after_reset_at taken stored_before stored_reset_before counter_expired_at_ms expiry_expired_at_ms why_not reason because reason_text actor host undoes undone_by undone_at answered_at'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--since --until --op --last --client --match --on-servers --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'undo')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --client) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--merge --force --client --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_names operations
            fi
            ;;
        'replay')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard status limit requests counted refunded over rejected windows first_over_at first_over_line refused unknown not_attempted help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --refund-status) :; return ;;
                --time) _ratectl_words 'log now'; return ;;
                --since) _ratectl_words 'now today yesterday'; return ;;
                --until) _ratectl_words 'now today yesterday'; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --sort) _ratectl_words 'key deployment shard status limit requests counted refunded over rejected windows first_over_at first_over_line refused unknown not_attempted'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --refund-status --enforce --time --since --until --max-keys --expect --confirm --reason --no-op-key --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_files
            fi
            ;;
        'locate')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key shard node replicas policy client client_class limit limit_source tag hash hash_value point label bucket buckets runner_up expiry_key hashed before_point before_label before_shard after_point after_label after_shard shared_with slot_state help'; return ;;
                --client) :; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --sort) _ratectl_words 'key shard node replicas policy client client_class limit limit_source tag hash hash_value point label bucket buckets runner_up expiry_key hashed before_point before_label before_shard after_point after_label after_shard shared_with slot_state'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --policy --input --steps --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'identify')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key system sureness keys used reset_at reset_kind means type ttl shard node role stale template limit period policy help'; return ;;
                --sample) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --sort) _ratectl_words 'key system sureness keys used reset_at reset_kind means type ttl shard node role stale template limit period policy'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--sample --shard --input --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'nodes')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'shard node configured_role role state link link_down primary replicas lag_bytes behind clock_skew round_trip version uptime ops_per_s clients keys memory_bytes max_memory_bytes eviction_policy can_evict evicted_keys offset run_id stale_because error help'; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --sort) _ratectl_words 'shard node configured_role role state link link_down primary replicas lag_bytes behind clock_skew round_trip version uptime ops_per_s clients keys memory_bytes max_memory_bytes eviction_policy can_evict evicted_keys offset run_id stale_because error'; return ;;
                --rounds) :; return ;;
                --every) :; return ;;
                --reason) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--shard --capabilities --sort --reverse --probe --rounds --every --reason --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'compare')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key shard node role configured_role counts look state used limit remaining reset_at used_delta differs cause link link_down lag_bytes clock_skew detail clock_doubt counter_expires_at expiry_expires_at counter_ttl expiry_ttl stored_used stored_reset_at looks read_at deployment error layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --min-delta) :; return ;;
                --sort) _ratectl_words 'key shard node role configured_role counts look state used limit remaining reset_at used_delta differs cause link link_down lag_bytes clock_skew detail clock_doubt counter_expires_at expiry_expires_at counter_ttl expiry_ttl stored_used stored_reset_at looks read_at deployment error layout'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --min-delta --show-same --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'doctor')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'class key shard node status detail fixable why_not reason effect advice policy counter expiry counter_expires_at expiry_expires_at message op_id subject layout help'; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --only) _ratectl_list _ratectl_words 'corrupt orphan-counter orphan-expiry expiry-absurd expiry-past leaked endless ttl-short ttl-long negative suffix-clash misplaced duplicate wrong-role two-primaries link-down replica-lag clock-skew can-evict memory-near-limit not-persisting scripts-denied commands-denied old-version cluster-node same-server masked-keys'; return ;;
                --skip) _ratectl_list _ratectl_words 'corrupt orphan-counter orphan-expiry expiry-absurd expiry-past leaked endless ttl-short ttl-long negative suffix-clash misplaced duplicate wrong-role two-primaries link-down replica-lag clock-skew can-evict memory-near-limit not-persisting scripts-denied commands-denied old-version cluster-node same-server masked-keys'; return ;;
                --sample) :; return ;;
                --rdb) :; return ;;
                --examples) :; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
                --fix) _ratectl_list _ratectl_words 'orphan-counter orphan-expiry expiry-absurd expiry-past leaked endless ttl-short ttl-long all'; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --sort) _ratectl_words 'class key shard node status detail fixable why_not reason effect advice policy counter expiry counter_expires_at expiry_expires_at message op_id subject layout'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--shard --only --skip --sample --rdb --classes --summary --examples --all-findings --max-latency --ops --fix --max-keys --expect --confirm --reason --no-op-key --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'list show verify guess'
            fi
            ;;
        'sharding list')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'preset about labels hash hashes key_tag weights points rule label order collisions options help'; return ;;
                --sort) _ratectl_words 'preset about labels hash hashes key_tag weights points rule label order collisions options'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding show')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'preset about labels hash hashes key_tag weights points rule label order collisions options help'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'modulo modulo-signed twemproxy-ketama twemproxy-modula redis-rb-4 redis-rb-5 redis-rb-5-rc020 redis-store jedis jedis-names jedis-names-2.9 go-redis-9 go-redis-7 predis predis-ketama redis-array redis-array-consistent credis django-redis uhashring uhashring-ketama redis-shard sentry-rb sentry-rb-partition rediscluster-py npm-hashring npm-consistent-hashing dalli libmemcached-weighted libmemcached-modula libmemcached-spy libmemcached-consistent stathat groupcache serialx jump envoy-ring-hash envoy-maglev redis-cluster codis'
            fi
            ;;
        'sharding verify')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'shard node sampled in_place misplaced in_place_percent complete stray belongs_on stranded help'; return ;;
                --sort) _ratectl_words 'shard node sampled in_place misplaced in_place_percent complete stray belongs_on stranded'; return ;;
                --sample) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--sort --reverse --sample --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sharding guess')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'rank preset options servers in_place in_place_percent evidence sampled same help'; return ;;
                --sort) _ratectl_words 'rank preset options servers in_place in_place_percent evidence sampled same'; return ;;
                --sample) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--sort --reverse --sample --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reshard')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'plan apply'
            fi
            ;;
        'reshard plan')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'row key from to windows moved share used limit percent reset_at policy client help'; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --sort) _ratectl_words 'row key from to windows moved share used limit percent reset_at policy client'; return ;;
                --above) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--state --sort --reverse --above --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'reshard apply')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key new_key from to status used reset_at why_not reason message because copies help'; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --sort) _ratectl_words 'key new_key from to status used reset_at why_not reason message because copies'; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--state --sort --reverse --merge --max-keys --expect --confirm --reason --op-id --no-op-key --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'throttle')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'show list reset delete'
            fi
            ;;
        'throttle show')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'name key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout rps burst window knobs_expires_at help'; return ;;
                --policy) _ratectl_names policies; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'throttle list')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'name key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout rps burst window knobs_expires_at help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-latency) :; return ;;
                --ops) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-latency --ops --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'throttle reset')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'throttle delete')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'knobs')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'get set unset stop unlimited'
            fi
            ;;
        'knobs get')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'name key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment policy client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout rps burst window knobs_expires_at help'; return ;;
                --policy) _ratectl_names policies; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'knobs set')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'knobs unset')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'knobs stop')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'knobs unlimited')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'running')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'name group count rate newest buckets span counted_at error help'; return ;;
                --group) :; return ;;
                --interval) :; return ;;
                --buckets) :; return ;;
                --sort) _ratectl_words 'name group count rate newest buckets span counted_at error'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--group --interval --buckets --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'governor')
            case $prev in
                -o | --output) _ratectl_words 'table wide json ndjson csv tsv name plot svg html'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'run step simulate explain'
            fi
            ;;
        'governor run')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'at second throttle load load_share measured_at before rps why bound p i d turned store_load offered admitted status reason op deployment shard help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --load-command) :; return ;;
                --load-file) _ratectl_files; return ;;
                --query) :; return ;;
                --load-prometheus) :; return ;;
                --load-token-file) _ratectl_files; return ;;
                --load-ca-file) _ratectl_files; return ;;
                --load-timeout) :; return ;;
                --set-point) :; return ;;
                --min) :; return ;;
                --max) :; return ;;
                --trip) :; return ;;
                --rearm) :; return ;;
                --rearm-samples) :; return ;;
                --open-rps) :; return ;;
                --rise) :; return ;;
                --fall) :; return ;;
                --kp) :; return ;;
                --ki) :; return ;;
                --kd) :; return ;;
                --deadband) :; return ;;
                --stale-after) :; return ;;
                --hold-for) :; return ;;
                --every) :; return ;;
                --lease) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --iterations) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --load-command --load-file --query --load-prometheus --load-token-file --load-ca-file --load-timeout --set-point --min --max --trip --rearm --rearm-samples --open-rps --rise --fall --kp --ki --kd --deadband --stale-after --hold-for --apply --every --lease --max-keys --expect --confirm --reason --iterations --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'governor step')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'at second throttle load load_share measured_at before rps why bound p i d turned store_load offered admitted status reason op deployment shard help'; return ;;
                --policy) _ratectl_names policies; return ;;
                --load-command) :; return ;;
                --load-file) _ratectl_files; return ;;
                --query) :; return ;;
                --load-prometheus) :; return ;;
                --load-token-file) _ratectl_files; return ;;
                --load-ca-file) _ratectl_files; return ;;
                --load-timeout) :; return ;;
                --set-point) :; return ;;
                --min) :; return ;;
                --max) :; return ;;
                --trip) :; return ;;
                --rearm) :; return ;;
                --rearm-samples) :; return ;;
                --open-rps) :; return ;;
                --rise) :; return ;;
                --fall) :; return ;;
                --kp) :; return ;;
                --ki) :; return ;;
                --kd) :; return ;;
                --deadband) :; return ;;
                --stale-after) :; return ;;
                --hold-for) :; return ;;
                --every) :; return ;;
                --lease) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --load-command --load-file --query --load-prometheus --load-token-file --load-ca-file --load-timeout --set-point --min --max --trip --rearm --rearm-samples --open-rps --rise --fall --kp --ki --kd --deadband --stale-after --hold-for --apply --every --lease --max-keys --expect --confirm --reason --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'governor simulate')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'at second throttle load load_share measured_at before rps why bound p i d turned store_load offered admitted status reason op deployment shard help'; return ;;
                --set-point) :; return ;;
                --min) :; return ;;
                --max) :; return ;;
                --trip) :; return ;;
                --rearm) :; return ;;
                --rearm-samples) :; return ;;
                --open-rps) :; return ;;
                --rise) :; return ;;
                --fall) :; return ;;
                --kp) :; return ;;
                --ki) :; return ;;
                --kd) :; return ;;
                --deadband) :; return ;;
                --stale-after) :; return ;;
                --hold-for) :; return ;;
                --csv) _ratectl_files; return ;;
                --start) :; return ;;
                --every) :; return ;;
                --duration) :; return ;;
                --offered) :; return ;;
                --swing) :; return ;;
                --capacity) :; return ;;
                --background) :; return ;;
                --cost-at) :; return ;;
                --lag) :; return ;;
                --delay) :; return ;;
                --noise) :; return ;;
                --seed) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--set-point --min --max --trip --rearm --rearm-samples --open-rps --rise --fall --kp --ki --kd --deadband --stale-after --hold-for --csv --start --every --duration --offered --swing --capacity --background --cost-at --lag --delay --noise --seed --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'governor explain')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'throttle governed actor host since until decided_at rps why bound load_share breaker_open help'; return ;;
                --policy) _ratectl_names policies; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--policy --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'limit')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'trace'
            fi
            ;;
        'limit trace')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'step policy verdict told key state used limit remaining percent reset_at reset_in reset_kind limited shard node role stale deployment client client_class limit_source look read_at stored_used stored_reset_at counter_type counter_ttl expiry_ttl binding error layout help'; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--org --set --path --exit-status --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'rollout')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'show set who compare copy'
            fi
            ;;
        'rollout show')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'feature state percentage_of_actors percentage_of_time stored node role stale shard help'; return ;;
                --sort) _ratectl_words 'feature state percentage_of_actors percentage_of_time stored node role stale shard'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'rollout set')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
                --sort) _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout'; return ;;
                --wait-replicas) :; return ;;
                --wait-timeout) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--max-keys --expect --confirm --reason --op-id --no-op-key --sort --reverse --wait-replicas --wait-timeout --show-replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'rollout who')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'actor bucket from on then moves help'; return ;;
                --feature) :; return ;;
                --at) :; return ;;
                --then) :; return ;;
                --sort) _ratectl_words 'actor bucket from on then moves'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--feature --at --then --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'rollout compare')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key client actor bucket moved served_by old_state old_used old_remaining old_reset_at new_state new_used new_remaining new_reset_at standing given_anew limit help'; return ;;
                --client) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --old) :; return ;;
                --feature) :; return ;;
                --at) :; return ;;
                --actor) :; return ;;
                --sort) _ratectl_words 'key client actor bucket moved served_by old_state old_used old_remaining old_reset_at new_state new_used new_remaining new_reset_at standing given_anew limit'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --input --policy --old --feature --at --actor --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'rollout copy')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'key deployment shard node op status change before_used after_used reset_at before_reset_at after_reset_at amount taken why_not reason message because written_at stored_before op_id attempts resolved acknowledged layout help'; return ;;
                --client) :; return ;;
                --org) :; return ;;
                --set) :; return ;;
                --path) :; return ;;
                --match) :; return ;;
                --input) _ratectl_words 'keys ndjson csv tsv json'; return ;;
                --policy) _ratectl_list _ratectl_names policies; return ;;
                --class) _ratectl_list _ratectl_names classes; return ;;
                --state) _ratectl_list _ratectl_words 'absent open exhausted closed orphan-counter orphan-expiry leaked corrupt negative'; return ;;
                --min-used) :; return ;;
                --resets-within) :; return ;;
                --shard) _ratectl_list _ratectl_names shards; return ;;
                --actor) :; return ;;
                --old) :; return ;;
                --max-keys) :; return ;;
                --expect) :; return ;;
                --confirm) :; return ;;
                --reason) :; return ;;
                --op-id) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--client --org --set --path --match --all --input --policy --class --state --min-used --resets-within --shard --actor --old --max-keys --expect --confirm --reason --op-id --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
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
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--file --force --name --primary --replica --policy --from-server --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config import')
            case $prev in
                --name) :; return ;;
                --file) _ratectl_files; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--name --file --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'twemproxy urls'
            fi
            ;;
        'config check')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'check result detail origin deployment help'; return ;;
                --sort) _ratectl_words 'check result detail origin deployment'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--connect --sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config show')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'name value origin help'; return ;;
                --sort) _ratectl_words 'name value origin'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--sort --reverse --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'config names')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'name kind help'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'deployments policies shards classes operations'
            fi
            ;;
        'acl')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'reader operator'
            fi
            ;;
        'acl reader')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'rule kind needed_for user server help'; return ;;
                --user) :; return ;;
                --password-sha256) :; return ;;
                --server) _ratectl_words '6 7'; return ;;
                --format) _ratectl_words 'redis-cli aclfile'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--user --password-sha256 --server --format --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'acl operator')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'rule kind needed_for user server help'; return ;;
                --user) :; return ;;
                --password-sha256) :; return ;;
                --server) _ratectl_words '6 7'; return ;;
                --format) _ratectl_words 'redis-cli aclfile'; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--user --password-sha256 --server --format --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'up status down run'
            fi
            ;;
        'sandbox up')
            case $prev in
                --kind) _ratectl_words 'shards sentinel cluster'; return ;;
                --shards) :; return ;;
                --replicas) :; return ;;
                --dir) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--kind --shards --replicas --dir --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox status')
            case $prev in
                --columns) _ratectl_list _ratectl_words 'shard role address pid state help'; return ;;
                --dir) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--dir --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox down')
            case $prev in
                --dir) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--dir --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'sandbox run')
            case $prev in
                --kind) _ratectl_words 'shards sentinel cluster'; return ;;
                --shards) :; return ;;
                --replicas) :; return ;;
            esac
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--kind --shards --replicas --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                :
            fi
            ;;
        'completion')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words ' --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'bash zsh fish'
            fi
            ;;
        'help')
            _ratectl_in_common && return
            if [[ $cur == -* ]]; then
                _ratectl_words '--man --config --deployment --url --sharding --all-shards --from --max-staleness --scheme --expiry-suffix --timeout --deadline --now --limit --period --burst --key --output --json --columns --no-header --thousands --color --tz --key-format --reveal --null --messages --quiet --verbose --dry-run --yes --no-input --journal --audit --read-only --help --version'
            else
                _ratectl_words 'check client explain headers scan watch stats top increment refund reset apply history undo replay locate identify nodes compare doctor sharding reshard throttle knobs running governor limit rollout config acl sandbox completion help exit-codes output configuration sharding semantics safety environment'
            fi
            ;;
    esac
}

complete -F _ratectl ratectl
