// dynamoc in Pyodide: takes {id, questions}, answers {id, answers, ms}. The page ends it to cancel.
import {loadPyodide} from "./runtime/pyodide.mjs";

const started = start();

self.onmessage = async ({data}) => {
  const ask = await started;
  const from = performance.now();
  const answers = data.questions.map((question) => {
    const result = ask(JSON.stringify(question));
    return JSON.parse(result);
  });
  self.postMessage({id: data.id, answers, ms: performance.now() - from});
};

async function start() {
  try {
    const archive = fetched("package.zip", 20, 45);
    const python = loadPyodide({indexURL: new URL("./runtime/", self.location.href).href, stdout: () => {}, stderr: () => {}});
    tell("Loading Python", 5);
    const [runtime, bytes] = await Promise.all([python, archive]);
    tell("Unpacking dynamoc", 80);
    runtime.unpackArchive(bytes, "zip", {extractDir: "/app"});
    runtime.runPython("import sys, gc; sys.path.insert(0, '/app'); sys.dont_write_bytecode = True");
    tell("Starting dynamoc", 92);
    const bridge = runtime.pyimport("bridge");
    self.postMessage({ready: true});
    return bridge.answer;
  } catch (error) {
    self.postMessage({failed: String(error).slice(0, 500)});
    throw error;
  }
}

async function fetched(name, from, to) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const total = Number(response.headers.get("content-length")) || 3.6e6;
  const reader = response.body.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    tell("Loading dynamoc", Math.min(to, from + (to - from) * size / total));
  }
  return new Blob(parts).arrayBuffer();
}

function tell(what, value) {
  self.postMessage({progress: value, what});
}
