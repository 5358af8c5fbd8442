// SPDX-License-Identifier: Apache-2.0
// node contend.js CLIENT PORT UNTIL KEY...: locks each key again and again until a time in ms, as
// redlock or, with plain commands, as ioredis does. Prints how often it held a key, how often the key
// was busy when it asked, and how often another holder was there meanwhile.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Redis from 'ioredis';
import Redlock from 'redlock';

const [client, port, until, ...keys] = process.argv.slice(2);
const redis = new Redis(Number(port));
const redlock = new Redlock([redis], { retryCount: -1, retryDelay: 5, retryJitter: 5 });
const ttl = 20_000;
const deleteIfOurs =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

async function acquireByRedlock(key) {
  let lock = await redlock.acquire([key], ttl);
  if (Math.random() < 0.1) {
    lock = await lock.extend(ttl);
  }
  return () => lock.release();
}

async function acquireByCommands(key) {
  const token = randomUUID();
  while ((await redis.set(key, token, 'PX', ttl, 'NX')) === null) {
    await sleep(2 + 5 * Math.random());
  }
  return async () => {
    if ((await redis.eval(deleteIfOurs, 1, key, token)) !== 1) {
      throw new Error(`${key} was no longer ours`);
    }
  };
}

const acquire = { redlock: acquireByRedlock, ioredis: acquireByCommands }[client];
let held = 0;
let waited = 0;
let overlaps = 0;

async function work(key) {
  overlaps += (await redis.incr(`holders of ${key}`)) === 1 ? 0 : 1;
  const count = Number(await redis.get(`count of ${key}`));
  await sleep(3 * Math.random());
  await redis.set(`count of ${key}`, count + 1);
  await redis.decr(`holders of ${key}`);
  held++;
}

async function contend(key) {
  while (Date.now() < Number(until)) {
    waited += await redis.exists(key);
    const release = await acquire(key);
    await work(key);
    await release();
    await sleep(5 * Math.random());
  }
}

await Promise.all(keys.map(contend));
await redis.quit();
console.log(held, waited, overlaps);
