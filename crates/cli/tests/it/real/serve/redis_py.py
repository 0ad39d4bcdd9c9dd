"""Asks a server on the port given, as somebody with redis-py would."""

import sys
import redis

port = int(sys.argv[1])
for protocol in (2, 3):
    client = redis.Redis(port=port, protocol=protocol, client_name="story")
    assert client.ping() is True
    assert client.echo("hi") == b"hi"
    assert client.client_getname() in ("story", b"story")
    assert client.client_info()["resp"] in (protocol, str(protocol))
    assert client.client_id() > 0
    assert client.command_count() == len(client.command())
    assert client.info("server")["tollgate_version"]
    assert client.config_get("save") == {"save": ""}

    user = f"python{protocol}"
    throttle = ("CL.THROTTLE", user, 15, 30, 60)
    assert client.execute_command(*throttle) == [0, 16, 15, -1, 2]

    check = ("TG.CHECK", "user_id", user, "endpoint", "/login")
    for left in (2, 1, 0):
        allowed, limit, remaining, retry, reset, rule = client.execute_command(*check)
        assert (allowed, limit, remaining, retry, rule) == (1, 3, left, 0, b"login")
        assert reset > 0
    allowed, limit, remaining, retry, _, rule = client.execute_command(*check)
    assert (allowed, limit, remaining, rule) == (0, 3, 0, b"login") and retry > 0
    nothing = client.execute_command("TG.CHECK", "user_id", user, "endpoint", "/other")
    assert nothing == [1, -1, -1, 0, 0, None]

    many = client.pipeline(transaction=False)
    for _ in range(2000):
        many.execute_command("CL.THROTTLE", f"pipe{protocol}", 99, 1, 86400)
    assert [answer[0] for answer in many.execute()] == [0] * 100 + [1] * 1900

    for command, words in (("GET", "unknown command 'GET'"), ("TG.CHECK", "wrong number")):
        try:
            client.execute_command(command)
        except redis.ResponseError as error:
            assert words in str(error), error
        else:
            raise AssertionError(command)
    client.close()
print("done")
