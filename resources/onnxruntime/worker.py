# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ONNX models with ONNX Runtime for Mitos.

Reads one job, a JSON object, from standard input, and writes JSON objects on standard output, one a line. Mitos starts it with the Python
that the user names; it needs the modules onnxruntime and numpy. Besides what Linux says of the processor, models are the only files
that it reads, and they cannot make it start or load anything: no library of custom operators is registered, and ONNX Runtime has the
processor as its only device.
core/onnx/internal/runtime_worker.h describes jobs and answers.
"""

import ctypes
import gc
import json
import os
import platform
import random
import sys
import time
import zlib

SHORTEST_BATCH = 0.002  # seconds: shorter batches measure the clock
WARM_UPS = 3
LONG_RUN = 0.5  # seconds: such models are warm after two runs
FEWEST_ROUNDS = 2  # in each block, whatever the time


def answers_stream():
    """The stream of answers. What libraries print on standard output goes to standard error instead."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


ANSWERS = answers_stream()


def answer(**fields):
    ANSWERS.write(json.dumps(fields) + "\n")
    ANSWERS.flush()


try:
    import numpy
    import onnxruntime
except Exception as error:  # a module may be there and not work
    answer(missing=str(getattr(error, "name", None) or "onnxruntime"), message=str(error), python=platform.python_version())
    sys.exit(3)

TYPES = {
    "tensor(float)": numpy.float32,
    "tensor(double)": numpy.float64,
    "tensor(float16)": numpy.float16,
    "tensor(int8)": numpy.int8,
    "tensor(int16)": numpy.int16,
    "tensor(int32)": numpy.int32,
    "tensor(int64)": numpy.int64,
    "tensor(uint8)": numpy.uint8,
    "tensor(uint16)": numpy.uint16,
    "tensor(uint32)": numpy.uint32,
    "tensor(uint64)": numpy.uint64,
    "tensor(bool)": numpy.bool_,
}


# The vector instructions that libraries choose their code by.
FEATURES = (
    "sse4_2 avx f16c fma avx2 avx512f avx512bw avx512vl avx512_vnni avx512_bf16 amx_bf16 amx_int8".split()
)


def processor():
    """The name and the features of the first processor; empty where Linux does not say."""
    fields = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            for line in info:
                name, _, value = line.partition(":")
                fields.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    flags = fields.get("flags", "").split()
    return fields.get("model name", ""), " ".join(feature for feature in FEATURES if feature in flags)


def session_options(job):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = {
        "disabled": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
        "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
        "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
        "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    }[job["level"]]
    options.intra_op_num_threads = job["threads"]
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    # Threads that spin after their work would take time from the other models.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def open_session(path, options):
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def inputs_of(session, job):
    """Random inputs. They depend on the seed and on the input's name, type and sizes, so that all models read the same numbers."""
    named = job["sizes"]["named"]
    inputs = {}
    for info in session.get_inputs():
        if info.type not in TYPES:
            raise ValueError("the input %s is of the type %s" % (info.name, info.type))
        shape = [size if isinstance(size, int) else named.get(size, job["sizes"]["otherwise"]) for size in info.shape]
        numbers = numpy.random.default_rng([job["seed"], zlib.crc32(info.name.encode())])
        dtype = TYPES[info.type]
        if numpy.issubdtype(dtype, numpy.floating):
            inputs[info.name] = numbers.standard_normal(shape).astype(dtype)
        else:  # 0 and 1 are indices, flags and masks alike
            inputs[info.name] = numbers.integers(0, 2, shape).astype(dtype)
    return inputs


def unused_sizes(sessions, job):
    """The names among the sizes of the job that no input has."""
    used = {size for session in sessions for info in session.get_inputs() for size in info.shape}
    return [name for name in job["sizes"]["named"] if name not in used]


class Runner:
    """A model with its inputs in place."""

    def __init__(self, path, job):
        self.session = open_session(path, session_options(job))
        self.binding = self.session.io_binding()
        for name, array in inputs_of(self.session, job).items():
            self.binding.bind_cpu_input(name, array)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name)
        self.launches = 1
        self.clock = time.process_time if job["threads"] == 1 else time.perf_counter
        self.elapsed = 0.0  # seconds of the last batch by the clock on the wall

    def batch(self):
        """Seconds of one run: the mean over a batch. One thread is timed by the processor's time, so that times in which other programs
        had the processor do not count."""
        run, binding, clock = self.session.run_with_iobinding, self.binding, self.clock
        start = time.perf_counter()
        begin = clock()
        for _ in range(self.launches):
            run(binding)
        seconds = (clock() - begin) / self.launches
        self.elapsed = time.perf_counter() - start
        return seconds

    def warm_up(self, shortest):
        """Runs until caches are warm, and finds how many runs a batch needs."""
        seconds = self.batch()
        for _ in range(WARM_UPS - 1 if seconds < LONG_RUN else 1):
            seconds = min(seconds, self.batch())
        while seconds * self.launches < shortest:
            self.launches = max(self.launches + 1, min(10 * self.launches, round(1.2 * shortest / max(seconds, 1e-9))))
            seconds = self.batch()


def check(job):
    """Does nothing more than to answer."""
    answer(done=len(job["models"]))


def time_models(job):
    """Times whole models alternately, in a new order every round. Each block opens the models anew, in a new order, because the place in
    memory that a session happens to get makes it faster or slower."""
    order = random.Random(job["seed"])
    paths = job["models"]
    rounds = 0
    for block in range(job["blocks"]):
        runners = [None] * len(paths)
        for index in order.sample(range(len(paths)), len(paths)):
            try:
                runners[index] = Runner(paths[index], job)
                runners[index].warm_up(SHORTEST_BATCH)
            except Exception as error:
                answer(failed=index, message=str(error))
                sys.exit(4)
        if block == 0 and unused_sizes([runner.session for runner in runners], job):
            answer(unused=unused_sizes([runner.session for runner in runners], job))
        answer(block=block, launches=[runner.launches for runner in runners])
        end = time.perf_counter() + job["seconds"] / job["blocks"]
        done = 0
        while done < FEWEST_ROUNDS or time.perf_counter() < end:
            seconds = [0.0] * len(paths)
            for index in order.sample(range(len(paths)), len(paths)):
                seconds[index] = runners[index].batch()
            answer(block=block, seconds=seconds, elapsed=sum(runner.elapsed for runner in runners))
            done += 1
        rounds += done
        del runners
        gc.collect()
    answer(done=rounds)


def time_operators(job):
    """Times each model by itself. One that cannot run is reported, and the others follow."""
    for index, path in enumerate(job["models"]):
        try:
            runner = Runner(path, job)
            runner.warm_up(SHORTEST_BATCH)
            end = time.perf_counter() + job["seconds"]
            batches = []
            while len(batches) < job["batches"] or time.perf_counter() < end:
                batches.append(runner.batch())
            answer(model=index, launches=runner.launches, batches=batches)
        except Exception as error:
            answer(failed=index, message=str(error))
    answer(done=len(job["models"]))


def optimize(job):
    """Writes the graph that ONNX Runtime runs."""
    options = session_options(job)
    options.optimized_model_filepath = job["output"]
    try:
        open_session(job["models"][0], options)
    except Exception as error:
        answer(failed=0, message=str(error))
        sys.exit(4)
    answer(done=1)


def in_memory(field):
    """VmRSS, or VmHWM, of this process in bytes."""
    with open("/proc/self/status", encoding="utf-8") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise OSError("Linux does not say " + field)


def measure_memory(job):
    """The memory that one run of each model takes beside the model and its inputs: what the process has at most, less what it had before.
    Without ONNX Runtime's arena, and with a fixed threshold above which the allocator gives memory back, that is the tensors."""
    ctypes.CDLL(None).mallopt(-3, 1 << 16)  # M_MMAP_THRESHOLD
    for index, path in enumerate(job["models"]):
        try:
            options = session_options(job)
            options.enable_cpu_mem_arena = False
            options.enable_mem_pattern = False
            if job["keeps_order"]:
                options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED
            session = open_session(path, options)
            inputs = inputs_of(session, job)
            peaks = []
            for run in range(job["runs"] + 1):  # what the first one allocates stays
                gc.collect()
                before = in_memory("VmRSS")
                with open("/proc/self/clear_refs", "w", encoding="utf-8") as reset:
                    reset.write("5")
                outputs = session.run(None, inputs)
                if run > 0:
                    peaks.append(max(0, in_memory("VmHWM") - before))
                del outputs
            answer(model=index, peaks=peaks)
            del session, inputs
        except Exception as error:
            answer(failed=index, message=str(error))
            sys.exit(4)
    answer(done=len(job["models"]))


def main():
    job = json.loads(sys.stdin.readline())
    name, features = processor()
    answer(onnxruntime=onnxruntime.__version__, python=platform.python_version(), processor=name, features=features)
    gc.disable()
    {"check": check, "time": time_models, "operators": time_operators, "optimize": optimize, "memory": measure_memory}[
        job["job"]
    ](job)


main()
