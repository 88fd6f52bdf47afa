<?php

/**
 * Calls the functions of a stellwerk gateway. One file, PHP 7.4 or newer, no extension needed (https: openssl).
 *
 *     require 'JSONRPC.php';
 *     $gateway = new JSONRPC('http://owner%40example.org:password@127.0.0.1:3777/api/');
 *     try {
 *         $gateway->SetValue(12345, 21.5);
 *         echo $gateway->GetValueFormatted(12345), "\n";
 *     } catch (JSONRPCException $failure) {
 *         echo 'The call failed: ', $failure->getMessage(), "\n";
 *     } catch (Exception $problem) {
 *         echo 'Problem with the server: ', $problem->getMessage(), "\n";
 *     }
 */

/**
 * The gateway rejected the call, or the call failed: the code is that of JSON-RPC, the message that of the gateway.
 * Missing or wrong credentials are of this kind too (-32000). Everything else (unreachable, timeout, invalid reply) is a
 * plain Exception.
 */
class JSONRPCException extends Exception
{
    /** @var mixed Data of the error; $data['code'] is its stable name. */
    private $data;

    public function __construct(string $message, int $code, $data = null)
    {
        parent::__construct($message, $code);
        $this->data = $data;
    }

    /** @return mixed */
    public function getData()
    {
        return $this->data;
    }
}

class JSONRPC
{
    /** @var string The address without credentials. */
    private $url;
    /** @var string[] Header lines, the credentials among them. */
    private $headers;
    /** @var array<string, mixed> */
    private $options;
    /** @var int */
    private $calls = 0;

    /**
     * @param string $address http://user%40example.org:password@host:3777/api/ (or https); the password plain or
     *     percent-encoded: write a % before two hexadecimal digits as %25
     * @param array<string, mixed> $options 'timeout': seconds without a byte (60), and 'ssl' as PHP's SSL context options,
     *     for example ['ssl' => ['cafile' => 'gateway.pem']]
     */
    public function __construct(
        #[SensitiveParameter]
        string $address,
        array $options = []
    ) {
        // A password may contain /, ? and #: user and password are everything before the last @.
        preg_match('~^([a-z]+://)(?:(.*)@)?([^@]*)$~is', $address, $found);
        $parts = parse_url(($found[1] ?? '') . ($found[3] ?? ''));
        $scheme = strtolower($parts['scheme'] ?? '');
        if (!isset($parts['host']) || !in_array($scheme, ['http', 'https'], true)) {
            throw new InvalidArgumentException('The address must look like http://user:password@host:3777/api/');
        }
        $port = isset($parts['port']) ? ':' . $parts['port'] : '';
        $path = $parts['path'] ?? '/';
        $this->url = $scheme . '://' . $parts['host'] . $port . ($path === '/' ? '/api/' : $path);
        $this->headers = ['Content-Type: application/json', 'Connection: close'];
        if (($found[2] ?? '') !== '') {
            [$user, $password] = explode(':', $found[2], 2) + [1 => ''];
            $pair = rawurldecode($user) . ':' . rawurldecode($password);
            $this->headers[] = 'Authorization: Basic ' . base64_encode($pair);
        }
        $this->options = $options + ['timeout' => 60, 'ssl' => []];
    }

    /** Hides the password in dumps of this object. */
    public function __debugInfo(): array
    {
        return ['url' => $this->url];
    }

    /**
     * Calls a function with its parameters in the order of the command reference.
     *
     * @return mixed the result; objects are associative arrays
     * @throws JSONRPCException if the gateway rejected the call or the call failed
     * @throws InvalidArgumentException if a parameter cannot be encoded as JSON (NAN, INF, text that is not UTF-8)
     * @throws Exception without a valid reply
     */
    public function __call(string $method, array $params)
    {
        $id = (string) ++$this->calls;
        $body = json_encode(
            ['jsonrpc' => '2.0', 'id' => $id, 'method' => $method, 'params' => array_values($params)],
            JSON_PRESERVE_ZERO_FRACTION | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES
        );
        if ($body === false) {
            throw new InvalidArgumentException('A parameter cannot be said in JSON: ' . json_last_error_msg());
        }
        [$status, $text] = $this->post($body);
        $answer = json_decode($text, true);
        if (!is_array($answer) || ($answer['jsonrpc'] ?? null) !== '2.0') {
            throw new Exception("The answer is not JSON-RPC (HTTP status $status)");
        }
        $error = $answer['error'] ?? null;
        if (is_array($error) && is_int($error['code'] ?? null) && is_string($error['message'] ?? null)) {
            throw new JSONRPCException($error['message'], $error['code'], $error['data'] ?? null);
        }
        if ($status !== 200 || ($answer['id'] ?? null) !== $id || !array_key_exists('result', $answer)) {
            throw new Exception("The answer does not belong to this call (HTTP status $status)");
        }
        return $answer['result'];
    }

    /** @return array{int, string} HTTP status and body */
    private function post(string $body): array
    {
        $http = [
            'method' => 'POST',
            'header' => $this->headers,
            'content' => $body,
            'timeout' => (float) $this->options['timeout'],
            'protocol_version' => 1.1,
            'ignore_errors' => true,
            'follow_location' => 0,
        ];
        $context = stream_context_create(['http' => $http, 'ssl' => $this->options['ssl']]);
        // PHP reports the reason as a warning: keep it, regardless of the program's own error handler.
        $why = '';
        set_error_handler(static function (int $level, string $message) use (&$why): bool {
            $why = preg_replace('~^fopen\(.*?\): ~', '', $message);
            return true;
        });
        try {
            $stream = fopen($this->url, 'rb', false, $context);
            $text = $stream === false ? false : stream_get_contents($stream);
            $meta = $stream === false ? [] : stream_get_meta_data($stream);
        } finally {
            restore_error_handler();
        }
        if ($stream === false) {
            throw new Exception('The gateway cannot be reached: ' . $why);
        }
        fclose($stream);
        if ($text === false || $meta['timed_out']) {
            throw new Exception('The gateway did not answer in time');
        }
        $status = preg_match('~^HTTP/\S+ (\d{3})~', (string) ($meta['wrapper_data'][0] ?? ''), $found);
        return [$status ? (int) $found[1] : 0, $text];
    }
}
