"""view_client.py orders|socket|hostile|slow|stop ADDRESS [PID]: what a page, and what others, ask of a view."""
import http.client
import json
import os
import random
import socket
import sys
import time
from urllib.parse import urlsplit

what, address = sys.argv[1:3]
parts = urlsplit(address)
port, key = parts.port, parts.query[4:]
cookie = f"trireme-{port}={key}"


def ask(path, method="GET", body=None, **headers):
    """Status and body of one request; a header that is None is left out."""
    given = {"Host": f"127.0.0.1:{port}", "X-Trireme-Key": key}
    if "Cookie" in headers:
        del given["X-Trireme-Key"]
    given.update({name.replace("_", "-"): value for name, value in headers.items()})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    data = (body or "").encode()
    for name, value in given.items():
        if value is not None:
            connection.putheader(name, value)
    if method == "POST":
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    answer = connection.getresponse()
    return answer.status, answer.read()


def order(text):
    return ask("/order", "POST", text, X_Trireme_Key=key)[0]


def state_when(test, text):
    for _ in range(400):
        state = json.loads(ask("/state")[1])
        if state and test(state):
            return state
        ask("/frame")
        time.sleep(0.02)
    sys.exit(f"never: {text}; the last state is {state}")


def orders():
    assert order("pause") == 200
    state = state_when(lambda s: s["paused"], "a pause")
    page = ask(f"/?key={key}", Cookie=None)
    script = f"/view.js?key={key}"
    assert page[0] == 200 and f'src="{script}"'.encode() in page[1]
    assert ask(script, Cookie=None)[0] == 200 and ask("/state", Cookie=cookie)[0] == 200 and len(ask("/colours")[1]) == 3 * 768
    levels = ask("/frame")[1]
    assert len(levels) == state["width"] * state["height"] == 96 * 64, state
    assert state["name"] == "lbm" and state["field"] == "speed" and "pressure" in state["fields"]
    assert state["series"][0]["name"] == "mean_speed" or state["step"] < 2
    time.sleep(0.3)
    assert json.loads(ask("/state")[1])["step"] == state["step"], "a paused run goes on"
    assert order("step") == 200
    state_when(lambda s: s["step"] == state["step"] + 1, "one step")
    assert order("field pressure") == 200
    state_when(lambda s: s["field"] == "pressure", "another field")
    assert order("range 0.25 0.5") == 200
    state_when(lambda s: (s["low"], s["high"]) == (0.25, 0.5), "a range")
    for text in ("", "halt", "range 2 1", "range 1", "range -1e308 1e308", "range nan 1", "range 0x0 1", "field", "field " + "x" * 200, "range 0 1 2"):
        assert order(text) == 400, text
    assert order("x" * 300) == 413
    assert order("go") == 200


def middle():
    """A fluid almost at rest has the middle of the diverging colours, wherever zero lies in the range."""
    assert order("pause") == 200
    for low, high in ((-1, 3), (-1, 1), (0, 1)):
        assert order(f"range {low} {high}") == 200
        state = state_when(lambda s: (s["low"], s["high"]) == (low, high), "a range")
        assert state["middle"] == -low / (high - low), state
        assert set(ask("/frame")[1]) == {126}, set(ask("/frame")[1])
    assert order("range 1 3") == 200
    assert state_when(lambda s: s["low"] == 1, "a range")["middle"] == 0.5
    assert set(ask("/frame")[1]) == {0}


def own_socket():
    """Of the sockets of the process, those that listen: one, on 127.0.0.1."""
    pids = [sys.argv[3]] + open(f"/proc/{sys.argv[3]}/task/{sys.argv[3]}/children").read().split()
    own = set()
    for pid in pids:
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                own.add(os.readlink(f"/proc/{pid}/fd/{name}"))
            except OSError:
                pass
    listening = []
    for file in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(file).readlines()[1:] if os.path.exists(file) else []:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in own:
                listening.append(words[1])
    assert listening == [f"0100007F:{port:04X}"], listening


def hostile():
    """Nobody without the key, under another name, or from another page gets anything."""
    random.seed(1)
    paths = ["/", "/state", "/frame", "/colours", "/view.js", "/../etc/passwd", "/%2e%2e/x", "//x", "/?key=", "/order"]
    hosts = ["evil.example", "evil.example:%d" % port, "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:%d" % port,
             "0.0.0.0:%d" % port, "[::1]:%d" % port, "", None]
    origins = ["http://evil.example", "https://127.0.0.1:%d" % port, "null", "http://127.0.0.1:%d" % (port + 1)]
    wrong = [key[:-1], key[:-1] + ("0" if key[-1] != "0" else "1"), key + "0", "", "0" * 32, key.upper() + " "]
    served = []
    for number in range(200):
        path, kind = random.choice(paths), number % 5
        if kind == 0:
            status = ask(path, Cookie=None)
        elif kind == 1:
            status = ask(path, Host=random.choice(hosts))
        elif kind == 2:
            status = ask(path, Origin=random.choice(origins))
        elif kind == 3:
            status = ask(path, Cookie=f"trireme-{port}={random.choice(wrong)}")
        else:
            status = ask("/order", "POST", "stop", X_Trireme_Key=random.choice(wrong + [None]))
        if status[0] not in (400, 403):
            served.append((number, path, status))
    assert not served, served
    assert ask("/order", "POST", "stop", X_Trireme_Key=key, Origin="http://evil.example")[0] == 403
    assert ask("/state", X_Long="x" * 8000)[0] in (400, 413, 431)
    assert ask("/state", "DELETE")[0] == 405 and ask("/nothing")[0] == 404
    assert ask("/state")[0] == 200


def slow():
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
    for one in idle[:3]:
        one.send(b"GET /state HTTP/1.1\r\nHost: ")
    begin = time.time()
    assert ask("/state")[0] == 200 and time.time() - begin < 9
    more = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
    time.sleep(12)                      # silent ones are closed after 10 s
    for one in idle:
        one.settimeout(5)
        while one.recv(4096):
            pass
    for one in idle + more:
        one.close()
    assert ask("/state")[0] == 200


def crowd():
    """Those that send a byte now and then, without a key, are not what the owner waits for."""
    slow = []
    for many in (8, 40, 200):
        while len(slow) < many:
            slow.append(socket.create_connection(("127.0.0.1", port)))
            slow[-1].send(b"GET / HTTP/1.1\r\nX: ")
        for _ in range(3):
            for one in slow:
                try:
                    one.send(b"a")
                except OSError:
                    pass
            begin = time.time()
            assert ask("/state")[0] == 200 and time.time() - begin < 3, many
    kept = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for _ in range(20):                 # a connection with the key stays, whoever comes
        kept.request("GET", "/state", headers={"X-Trireme-Key": key})
        assert kept.getresponse().read() is not None
        slow += [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
    for one in slow:
        one.close()


def no_cookie():
    """What a page leaves in the browser is sent to every port of 127.0.0.1."""
    for path in (f"/?key={key}", f"/view.js?key={key}", f"/state?key={key}", f"/nothing?key={key}", "/state"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == (404 if "nothing" in path else 403 if path == "/state" else 200), (path, answer.status)
        assert not answer.getheader("Set-Cookie"), answer.getheaders()
    assert ask("/order", "POST", "stop", Cookie=cookie)[0] == 403


def pause():
    assert order("pause") == 200
    state_when(lambda s: s["paused"], "a pause")


def paused():
    assert json.loads(ask("/state")[1])["paused"]


def logarithm():
    assert order("field density") == 200 and order("pause") == 200
    state_when(lambda s: s["field"] == "density" and s["paused"], "a picture of the density")
    for low, high in ((0, 10), (-5, 10), (1e-3, 10)):
        assert order(f"range {low} {high}") == 200
        state = state_when(lambda s: s["high"] == high, "a range")
        assert state["low"] > 0 and (low <= 0 or state["low"] == low), state
        assert set(ask("/frame")[1]) - {255}, "a picture"
        assert order("range 1 2") == 200
        state_when(lambda s: s["high"] == 2, "another range")


def stop():
    assert order("stop") == 200


{"orders": orders, "middle": middle, "socket": own_socket, "hostile": hostile, "slow": slow, "stop": stop, "crowd": crowd,
 "cookie": no_cookie, "pause": pause, "paused": paused, "logarithm": logarithm}[what]()
