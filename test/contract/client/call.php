<?php

/**
 * Makes calls through docs/use/clients/JSONRPC.php and says what came of each, as JSON, one line a call.
 * Arguments: the address, the calls as a JSON list of [method, params…], and options as a JSON object.
 */

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message): bool {
    if (error_reporting() & $level) {
        throw new ErrorException($message);
    }
    return true;
});
require __DIR__ . '/../../../docs/use/clients/JSONRPC.php';

[, $address, $calls, $options] = $argv + [3 => '{}'];
$gateway = new JSONRPC($address, json_decode($options, true));
foreach (json_decode($calls, true) as $call) {
    $method = array_shift($call);
    try {
        $said = ['result' => $gateway->$method(...$call)];
    } catch (JSONRPCException $failure) {
        $said = ['rpc' => [$failure->getCode(), $failure->getMessage(), $failure->getData()]];
    } catch (Exception $problem) {
        $said = ['server' => [get_class($problem), $problem->getMessage()]];
    }
    echo json_encode($said, JSON_PRESERVE_ZERO_FRACTION | JSON_UNESCAPED_SLASHES), "\n";
}
ob_start();
var_dump($gateway);
fwrite(STDERR, ob_get_clean());
