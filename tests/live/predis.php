<?php
// Sets keys (hexadecimal, one a line on standard input) through Predis: predis.php set|window hash|ketama HOST:PORT:WEIGHT|/SOCKET...
// A window is counter 7 and its expiry, written by a script that is routed by the counter's key.
require 'Predis/Autoloader.php';
Predis\Autoloader::register();

[, $mode, $ring] = $argv;
$servers = array_map(function ($server) {
    if ($server[0] === '/') return ['scheme' => 'unix', 'path' => $server];
    [$host, $port, $weight] = explode(':', $server);
    return ['host' => $host, 'port' => (int)$port, 'weight' => (int)$weight];
}, array_slice($argv, 3));
$cluster = function () use ($ring) {
    $points = $ring === 'ketama' ? new Predis\Cluster\Distributor\KetamaRing() : new Predis\Cluster\Distributor\HashRing();
    return new Predis\Connection\Aggregate\PredisCluster(new Predis\Cluster\PredisStrategy($points));
};
$client = new Predis\Client($servers, ['cluster' => $cluster]);
$window = "redis.call('SET', KEYS[1], '7', 'EX', 3601) return redis.call('SET', KEYS[1] .. ':exp', ARGV[1], 'EX', 3601)";
while (($line = fgets(STDIN)) !== false) {
    $key = hex2bin(trim($line));
    $mode === 'window' ? $client->eval($window, 1, $key, time() + 3600) : $client->set($key, 1);
}
