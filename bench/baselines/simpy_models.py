#!/usr/bin/python3
"""M/M/1 and periodic timers in SimPy.

    simpy_models.py mm1|mm1_store|timers N        prints: events seconds answer

mm1 is written as SimPy's own examples are: every customer a process that requests the server. mm1_store has one process
that takes customers, who are only numbers, from a store.
"""
import random
import sys
import time

import simpy


def mm1(lots):
    env = simpy.Environment()
    server = simpy.Resource(env, capacity=1)
    done = env.event()
    times = []
    draw = random.Random(1).expovariate

    def customer():
        arrived = env.now
        with server.request() as turn:
            yield turn
            yield env.timeout(draw(1.0 / 0.8))
        times.append(env.now - arrived)
        if len(times) == lots:
            done.succeed()

    def source():
        while True:
            env.process(customer())
            yield env.timeout(draw(1.0))

    env.process(source())
    env.run(done)
    return lots, sum(times) / lots


def mm1_store(lots):
    env = simpy.Environment()
    store = simpy.Store(env)
    done = env.event()
    times = []
    draw = random.Random(1).expovariate

    def source():
        while True:
            store.put(env.now)
            yield env.timeout(draw(1.0))

    def server():
        while len(times) < lots:
            arrived = yield store.get()
            yield env.timeout(draw(1.0 / 0.8))
            times.append(env.now - arrived)
        done.succeed()

    env.process(source())
    env.process(server())
    env.run(done)
    return lots, sum(times) / lots


def timers(until):
    env = simpy.Environment()
    counts = [0] * 1000

    def timer(i):
        period = 1.0 + 0.001 * i
        while True:
            yield env.timeout(period)
            counts[i] += 1

    for i in range(1000):
        env.process(timer(i))
    env.run(until)
    return sum(counts), env.now


if __name__ == "__main__":
    start = time.perf_counter()
    events, answer = {"mm1": mm1, "mm1_store": mm1_store, "timers": timers}[sys.argv[1]](int(sys.argv[2]))
    print(events, f"{time.perf_counter() - start:.6f}", repr(answer))
