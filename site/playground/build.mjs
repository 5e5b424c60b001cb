// Builds the playground into dist/playground/: `npm run build`. Needs what `npm ci` installs, and no network.
import {build} from "esbuild";
import {loadPyodide} from "pyodide";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import {fileURLToPath} from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../..");
const OUT = path.resolve(ROOT, "dist/playground");
const RUNTIME = path.join(HERE, "node_modules/pyodide");
const RUNTIME_FILES = ["pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs", "python_stdlib.zip", "pyodide-lock.json"];

const kept = process.argv[2] === "--page" ? fs.readFileSync(path.join(OUT, "package.zip")) : null;
fs.rmSync(OUT, {recursive: true, force: true});
fs.mkdirSync(path.join(OUT, "runtime"), {recursive: true});
if (kept) fs.writeFileSync(path.join(OUT, "package.zip"), kept);
for (const name of RUNTIME_FILES) fs.copyFileSync(path.join(RUNTIME, name), path.join(OUT, "runtime", name));
// The page loads no package of Pyodide's index.
const lock = JSON.parse(fs.readFileSync(path.join(RUNTIME, "pyodide-lock.json"), "utf8"));
fs.writeFileSync(path.join(OUT, "runtime/pyodide-lock.json"), JSON.stringify({...lock, packages: {}}));

if (process.argv[2] !== "--page") await writePackage(); // which takes most of the time
const options = {bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none"};
await build({...options, entryPoints: [path.join(HERE, "src/main.js")], outfile: path.join(OUT, "main.js")});
await build({
  ...options, entryPoints: [path.join(HERE, "src/worker.js")], outfile: path.join(OUT, "worker.js"),
  external: ["./runtime/*"],
});
fs.copyFileSync(path.join(HERE, "src/style.css"), path.join(OUT, "style.css"));
fs.copyFileSync(path.join(HERE, "src/index.html"), path.join(OUT, "index.html"));
fs.writeFileSync(path.join(OUT, "examples.json"), JSON.stringify(examples()));
writeServiceWorker();
report();

// dynamoc as a wheel has it, with the bundle of the Python that Pyodide is, and PyYAML without libyaml, in one archive.
async function writePackage() {
  const py = await loadPyodide({indexURL: RUNTIME + "/"});
  py.FS.mkdirTree("/src");
  py.mountNodeFS("/src", ROOT);
  py.FS.mkdirTree("/yaml");
  py.mountNodeFS("/yaml", pyYaml());
  py.FS.mkdirTree("/here");
  py.mountNodeFS("/here", path.join(HERE, "python"));
  py.runPython(fs.readFileSync(path.join(HERE, "python/pack.py"), "utf8"));
  fs.writeFileSync(path.join(OUT, "package.zip"), py.FS.readFile("/package.zip"));
}

// The pure Python part of the PyYAML that the development environment has.
function pyYaml() {
  const found = fs.globSync ? fs.globSync("lib/python3*/site-packages/yaml", {cwd: path.join(ROOT, ".venv")}) : walk();
  if (!found.length) throw new Error("no PyYAML in .venv: run ./run python -V first");
  return path.join(ROOT, ".venv", found[0]);
}

function walk() {
  const lib = path.join(ROOT, ".venv/lib");
  const names = fs.readdirSync(lib).map((name) => path.join("lib", name, "site-packages/yaml"));
  return names.filter((name) => fs.existsSync(path.join(ROOT, ".venv", name)));
}

function examples() {
  const listed = JSON.parse(fs.readFileSync(path.join(HERE, "examples/index.json"), "utf8"));
  return listed.map((each) => {
    const read = (name) => fs.readFileSync(path.resolve(HERE, "examples", name), "utf8");
    const {file, beforeFile, ...rest} = each;
    return {...rest, text: read(file), before: beforeFile ? read(beforeFile) : ""};
  });
}

// The names of all files with their digests: a new build is a new cache.
function writeServiceWorker() {
  const files = list(OUT).filter((name) => name !== "service-worker.js").sort();
  const digest = crypto.createHash("sha256");
  for (const name of files) digest.update(name).update(fs.readFileSync(path.join(OUT, name)));
  const text = fs.readFileSync(path.join(HERE, "src/service-worker.js"), "utf8");
  const known = {version: digest.digest("hex").slice(0, 16), files: ["./", ...files.map((name) => `./${name}`)]};
  fs.writeFileSync(path.join(OUT, "service-worker.js"), `const BUILT = ${JSON.stringify(known)};\n${text}`);
}

function list(folder, below = "") {
  return fs.readdirSync(path.join(folder, below), {withFileTypes: true}).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    return entry.isDirectory() ? list(folder, name) : [name];
  });
}

function report() {
  const sizes = list(OUT).map((name) => [fs.statSync(path.join(OUT, name)).size, name]);
  const total = sizes.reduce((sum, [size]) => sum + size, 0);
  for (const [size, name] of sizes.sort((a, b) => b[0] - a[0])) console.log(`${(size / 1e6).toFixed(2)} MB  ${name}`);
  console.log(`${(total / 1e6).toFixed(2)} MB  all`);
  if (total > 25e6) throw new Error("more than 25 MB");
}
