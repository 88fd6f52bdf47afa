"""
A stand-in for systemd with one service: keeps the descriptors that the service stores (FDSTORE, FDSTOREREMOVE) and
restarts it with them when it ends, until SIGTERM. Prints each start and each notification of the service.

    service.py NOTIFY_SOCKET COMMAND ...
"""
import os
import selectors
import signal
import socket
import sys

path, command = sys.argv[1], sys.argv[2:]
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(path)
notify.setblocking(False)
stored = []


def start():
    child = os.fork()
    if child != 0:
        print(f"started {child} with {len(stored)}", flush=True)
        return child
    # Moved away first, because their final numbers may be in use.
    moved = [os.dup2(fd, 100 + n, inheritable=True) for n, (_, fd) in enumerate(stored)]
    for n, fd in enumerate(moved):
        os.dup2(fd, 3 + n, inheritable=True)
        os.close(fd)
    os.environ["NOTIFY_SOCKET"] = path
    if stored:
        os.environ["LISTEN_PID"] = str(os.getpid())
        os.environ["LISTEN_FDS"] = str(len(stored))
        os.environ["LISTEN_FDNAMES"] = ":".join(name for name, _ in stored)
    os.execv(command[0], command)


def hear():
    """Hears everything that was sent so far."""
    while True:
        try:
            text, fds, _, _ = socket.recv_fds(notify, 4096, 8)
        except BlockingIOError:
            return
        hear_one(text, fds)


def hear_one(text, fds):
    words = dict(line.split("=", 1) for line in text.decode().split("\n"))
    name = words.get("FDNAME", "")
    if "FDSTOREREMOVE" in words:
        for one in [one for one in stored if one[0] == name]:
            stored.remove(one)
            os.close(one[1])
    if "FDSTORE" in words:
        stored.extend((name, fd) for fd in fds)
    print(" ".join(f"{key}={value}" for key, value in words.items()), flush=True)


child = start()
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
signal.signal(signal.SIGCHLD, lambda *_: None)
woken, waker = socket.socketpair()
waker.setblocking(False)
signal.set_wakeup_fd(waker.fileno())
selector = selectors.DefaultSelector()
selector.register(notify, selectors.EVENT_READ)
selector.register(woken, selectors.EVENT_READ)
while not ended:
    for key, _ in selector.select():
        if key.fileobj is notify:
            hear()
        else:
            woken.recv(64)
    if os.waitpid(child, os.WNOHANG)[0] == child and not ended:
        # As systemd does: what a process sent before it ended comes first.
        hear()
        child = start()
os.kill(child, signal.SIGTERM)
os.waitpid(child, 0)
