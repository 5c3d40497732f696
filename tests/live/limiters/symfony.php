<?php
// The driver of Symfony's RateLimiter over Symfony's cache in Redis. Arguments: the server's socket, which limiter
// (fixed_window, sliding_window, token_bucket), its limit, its period in seconds (in which 2 tokens come back), and how
// it is written (plain, igbinary). Lines in: CLIENT COST, 0 to look. Lines out: JSON of the key, what remains, and
// whether it was accepted.
require 'Predis/Autoloader.php';
require 'Symfony/Component/RateLimiter/autoload.php';
require 'Symfony/Component/Cache/autoload.php';
Predis\Autoloader::register();

use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Marshaller\DefaultMarshaller;
use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\RateLimiter\Storage\CacheStorage;

[, $socket, $kind, $limit, $seconds, $format] = $argv;
$redis = new Predis\Client(['scheme' => 'unix', 'path' => $socket]);
$storage = new CacheStorage(new RedisAdapter($redis, 'cache.ratelimiter', 0, new DefaultMarshaller($format === 'igbinary')));
$settings = ['id' => $kind, 'policy' => $kind, 'limit' => (int)$limit];
$settings += $kind === 'token_bucket' ? ['rate' => ['interval' => "$seconds seconds", 'amount' => 2]]
                                      : ['interval' => "$seconds seconds"];
$factory = new RateLimiterFactory($settings, $storage);

while (($line = fgets(STDIN)) !== false) {
    [$client, $cost] = explode(' ', trim($line));
    $answer = $factory->create($client)->consume((int)$cost);
    echo json_encode(['key' => 'cache.ratelimiter:' . sha1("$kind-$client"), 'remaining' => $answer->getRemainingTokens(),
                      'accepted' => $answer->isAccepted()]), "\n";
}
