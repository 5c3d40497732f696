<?php
// Sets keys (hexadecimal, one a line on standard input) through phpredis' RedisArray: redis_array.php plain|consistent ALGORITHM|- HOST:PORT|/SOCKET...
[, $mode, $algorithm] = $argv;
$options = ['consistent' => $mode === 'consistent', 'autorehash' => false];
if ($algorithm !== '-') $options['algorithm'] = $algorithm;
$array = new RedisArray(array_slice($argv, 3), $options);
while (($line = fgets(STDIN)) !== false) {
    if ($array->set(hex2bin(trim($line)), '1') !== true) exit(1);
}
