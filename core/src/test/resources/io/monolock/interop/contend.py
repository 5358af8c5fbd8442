# SPDX-License-Identifier: Apache-2.0
# contend.py PORT UNTIL KEY...: as contend.js, with the lock of redis-py.
import random
import sys
import threading
import time

import redis

port, until, *keys = sys.argv[1:]
client = redis.Redis(port=int(port))
results = []


def contend(key):
    held = waited = overlaps = 0
    while time.time() * 1000 < float(until):
        waited += client.exists(key)
        with client.lock(key, timeout=20, sleep=0.005) as lock:
            if random.random() < 0.1:
                lock.extend(20, replace_ttl=True)
            overlaps += client.incr("holders of " + key) != 1
            count = int(client.get("count of " + key) or 0)
            time.sleep(0.003 * random.random())
            client.set("count of " + key, count + 1)
            client.decr("holders of " + key)
            held += 1
        time.sleep(0.005 * random.random())
    results.append((held, waited, overlaps))


threads = [threading.Thread(target=contend, args=(key,)) for key in keys]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if len(results) < len(keys):
    sys.exit("a thread has failed")
print(*(sum(numbers) for numbers in zip(*results)))
