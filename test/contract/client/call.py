"""Makes calls with nothing but Python's standard library and says what came of each, as JSON, one line a request.

Arguments: the address, the user name, the password, and the requests as a JSON list: each a call
[method, params...], or {"batch": [calls]}. Credentials are sent when they are asked for, as urllib does it.
"""

import json
import sys
import urllib.error
import urllib.request

address, user, password, requests = sys.argv[1:]
passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
passwords.add_password(None, address, user, password)
opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))


def message(number, call):
    return {"jsonrpc": "2.0", "id": str(number), "method": call[0], "params": call[1:]}


for request in json.loads(requests):
    if isinstance(request, dict):
        body = [message(number, call) for number, call in enumerate(request["batch"])]
    else:
        body = message(1, request)
    data = json.dumps(body).encode()
    post = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with opener.open(post, timeout=20) as response:
            said = json.load(response)
    except urllib.error.HTTPError as error:
        said = {"status": error.code, "body": json.load(error)}
    print(json.dumps(said))
