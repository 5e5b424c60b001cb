// PyYAML's pure parser in Pyodide reads what libyaml reads in CPython: all recorded inputs, and the golden ones.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import {test} from "node:test";
import {fileURLToPath} from "node:url";
import {loadPyodide} from "pyodide";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../../..");
const RECORDED = path.resolve(ROOT, "../shared/conformance");
const ARCHIVE = path.join(ROOT, "dist/playground/package.zip");
const python = path.join(ROOT, ".venv/bin/python");

function inputs() {
  const golden = fs.readdirSync(path.join(ROOT, "golden"), {recursive: true}).map((name) => path.join(ROOT, "golden", name));
  if (!fs.existsSync(RECORDED)) console.error("SKIPPED LOUDLY: no recordings beside the repository; only golden inputs are read");
  const recorded = fs.existsSync(RECORDED) ? fs.readdirSync(RECORDED, {recursive: true}).map((name) => path.join(RECORDED, name)) : [];
  const all = [...golden.filter((name) => path.basename(name).startsWith("input")), ...recorded.filter((name) => name.includes("/inputs/"))];
  return all.filter((name) => name.endsWith(".yaml") && fs.statSync(name).isFile()).sort();
}

test("the pure parser reads what libyaml reads", {skip: fs.existsSync(ARCHIVE) ? false : "not built: npm run build"}, async () => {
  const files = inputs();
  const program = path.join(HERE, "../python/readings.py");
  const native = new Map();
  for (let at = 0; at < files.length; at += 500) {
    const lines = execFileSync(python, [program, ...files.slice(at, at + 500)], {cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26}).trim().split("\n");
    for (const line of lines) native.set(line.slice(65), line.slice(0, 64));
  }
  const py = await loadPyodide({stdout: () => {}, stderr: () => {}});
  py.unpackArchive(new Uint8Array(fs.readFileSync(ARCHIVE)).buffer, "zip", {extractDir: "/app"});
  py.FS.writeFile("/app/readings.py", fs.readFileSync(program, "utf8"));
  py.runPython("import sys; sys.path.insert(0, '/app'); import yaml; assert not yaml.__with_libyaml__");
  const reading = py.pyimport("readings").reading;
  const differs = [];
  for (const file of files) {
    py.FS.writeFile("/input.yaml", new Uint8Array(fs.readFileSync(file)));
    if (reading("/input.yaml") !== native.get(file)) differs.push(file);
  }
  console.log(`${files.length} inputs`);
  assert.ok(files.length > 100);
  assert.deepEqual(differs, []);
});
