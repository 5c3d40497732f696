<?php
// The driver of Laravel's RateLimiter, as its middleware throttle uses it; arguments and lines as in driver.cjs.
require 'Predis/Autoloader.php';
require 'Illuminate/Cache/autoload.php';
require 'Illuminate/Redis/autoload.php';
Predis\Autoloader::register();

$socket = $argv[1];
$policies = [];
foreach (array_slice($argv, 2) as $argument) {
    [$name, $limit, $seconds] = explode(':', $argument);
    $policies[$name] = [(int)$limit, (int)$seconds];
}

$redis = new Illuminate\Redis\RedisManager(null, 'predis', [
    'options' => ['prefix' => 'laravel_database_'],
    'default' => ['scheme' => 'unix', 'path' => $socket],
]);
$store = new Illuminate\Cache\RedisStore($redis, 'laravel_cache');
$limiter = new Illuminate\Cache\RateLimiter(new Illuminate\Cache\Repository($store));

/** When a window ends is known to the second; the timer's key lives to somewhere within that. */
function tell($limiter, $key, $limit, $limited) {
    $now = time();
    $left = $limiter->availableIn($key);
    return [
        'used' => (int)$limiter->attempts($key),
        'remaining' => $limited ? 0 : $limiter->retriesLeft($key, $limit),
        'limited' => $limited,
        'reset' => $left > 0 ? [($now + $left) * 1000, ($now + $left + 1) * 1000] : null,
    ];
}

while (($line = fgets(STDIN)) !== false) {
    [$verb, $client, $policy, $cost] = explode(' ', trim($line));
    [$limit, $seconds] = $policies[$policy];
    $key = "$policy:$client";
    $limited = false;
    if ($verb === 'peek') $limited = $limiter->tooManyAttempts($key, $limit);
    if ($verb === 'forget') $limiter->resetAttempts($key);
    if ($verb === 'hit') {
        for (; $cost > 0; --$cost) $limited = !$limiter->attempt($key, $limit, function () {}, $seconds);
    }
    echo json_encode(tell($limiter, $key, $limit, $limited)), "\n";
}
