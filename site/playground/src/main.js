// The page: what is in it, when dynamoc is asked, and how its answers are shown.
import {createEditor, lightLines, offset, setText, showFindings} from "./editor.js";
import {Cancelled, Engine} from "./engine.js";
import {decoded, encoded} from "./link.js";

const PAUSE = 200;
const IDLE = 500;
const MOST = 1_000_000;
const $ = (id) => document.getElementById(id);
const state = {text: "", before: "", cluster: "", release: "", target: "auto", tab: "objects", from: "", to: "v1alpha1"};
let view, examples = [], about = null, checked = null, traced = null, findings = [], timer = 0, run = 0, shows = 0;

const engine = new Engine({
  progress(what, value) {
    $("progress").hidden = false;
    $("progress").value = value;
    say(what);
  },
  ready() {
    $("progress").value = 100;
    $("progress").hidden = true;
    first();
  },
  failed(message) {
    $("progress").hidden = true;
    say(`dynamoc cannot start here: ${message}`);
    panel(note("The browser could not start dynamoc. It needs WebAssembly and module workers; try a newer browser, or reload."));
  },
  busy() {
    clearTimeout(engine?.cancelTimer);
    engine.cancelTimer = setTimeout(() => { $("cancel").hidden = false; }, 1500);
  },
  idle() {
    clearTimeout(engine.cancelTimer);
    $("cancel").hidden = true;
  },
});

function say(text) {
  $("status").textContent = text;
}

function settings() {
  const chosen = {target: state.target};
  if (state.release) chosen["operator-version"] = state.release;
  return chosen;
}

const prepare = () => ({
  what: "prepare", text: state.text, before: state.before, cluster: state.cluster, settings: settings(),
});

async function ask(...questions) {
  const result = await engine.ask(prepare(), ...questions);
  const answers = result.answers.slice(1).map((each) => {
    if (each.bug) throw new Error(each.bug);
    return each.ok;
  });
  return {answers, ms: result.ms};
}

async function first() {
  try {
    if (!about) {
      [about] = (await ask({what: "about"})).answers;
      for (const name of [...about.releases].reverse()) $("release").append(new Option(name === about.latest ? `${name} (latest)` : name, name));
      $("release").value = state.release || about.latest;
      document.title = `dynamoc ${about.version} playground`;
    }
    await update();
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (error instanceof Cancelled) return say("Cancelled");
  console.error(error);
  say("dynamoc failed on this input");
  const lines = String(error.message).trim().split("\n");
  panel(note(`This is a bug of dynamoc: ${lines.at(-1)}. Please report it with a link to this page (Copy link).`));
}

// After a change: findings and objects first, then what the open tab shows.
function changed(text) {
  state.text = text;
  checked = traced = null;
  $("panel").classList.add("stale");
  clearTimeout(timer);
  timer = setTimeout(() => update().catch(failed), PAUSE);
}

async function update() {
  if (!engine.ready) return;
  const own = ++run;
  if (state.text.length > MOST) {
    const message = "The playground takes texts of at most 1 MB; the command line takes more.";
    checked = {findings: [{severity: "error", slug: "", message}], yaml: null, counts: {}};
    showAll(checked.findings);
    say("1 error");
    document.body.dataset.run = String(own);
    return show();
  }
  const {answers: [found], ms} = await ask({what: "check"});
  if (own !== run) return;
  checked = found;
  showAll(found.findings);
  const errors = found.findings.filter((each) => each.severity === "error").length;
  const graphs = found.counts.graphs ?? 0;
  const others = found.findings.length - errors;
  say(`${errors || "no"} error${errors === 1 ? "" : "s"}, ${others || "no"} other finding${others === 1 ? "" : "s"}, ${graphs} graph${graphs === 1 ? "" : "s"}, ${Math.round(ms)} ms`);
  document.body.dataset.ms = String(Math.round(ms));
  document.body.dataset.run = String(own);
  await show();
}

function showAll(found) {
  findings = found;
  const doc = view.state.doc;
  showFindings(view, found.filter((each) => each.hasPlace).map((each) => {
    const [line, start, last, end] = each.range;
    const from = offset(doc, line, start);
    const to = Math.max(offset(doc, last, end), Math.min(from + 1, doc.length));
    const severity = each.severity === "note" ? "info" : each.severity;
    return {from, to, severity, source: each.slug, message: each.message + (each.hint ? `\n${each.hint}` : ""), actions: fixes(each).map(({title, apply}) => ({name: title, apply}))};
  }));
  const list = $("findings").firstElementChild;
  list.replaceChildren(...(found.length ? found.map(row) : [element("li", {class: "none"}, "No findings: the API server and the operator accept this.")]));
}

function row(finding) {
  const item = element("li", {});
  const line = finding.hasPlace ? finding.range[0] + 1 : 0;
  if (line) {
    const place = element("button", {class: "place", type: "button", "aria-label": `Go to line ${line}`}, `line ${line}`);
    place.onclick = () => goTo(finding.range[0], finding.range[1]);
    item.append(place);
  }
  item.append(element("span", {class: `severity ${finding.severity}`}, finding.severity), finding.message);
  if (finding.slug) item.append(element("span", {class: "slug"}, finding.slug));
  if (finding.hint) item.append(element("div", {class: "hint"}, finding.hint));
  const known = fixes(finding);
  const box = element("div", {class: "actions"});
  for (const {title, apply} of known) box.append(button(title, () => { apply(); view.focus(); }));
  if (finding.hasPlace && finding.slug && (finding.severity !== "error" || finding.slug.startsWith("check/"))) {
    box.append(button("Ignore with a comment", () => ignore(finding)));
  }
  if (box.children.length) item.append(box);
  return item;
}

function fixes(finding) {
  if (!finding.fix) return [];
  const apply = () => {
    const doc = view.state.doc;
    const changes = finding.fix.edits.map((edit) => ({
      from: offset(doc, ...inEditor(edit.start)), to: offset(doc, ...inEditor(edit.end)), insert: edit.text,
    }));
    view.dispatch({changes});
  };
  return [{title: finding.fix.title, apply}];
}

// Python counts code points, the editor UTF-16.
function inEditor([line, column]) {
  const doc = view.state.doc;
  const text = doc.line(Math.min(line + 1, doc.lines)).text;
  return [line, [...text].slice(0, column).join("").length];
}

async function ignore(finding) {
  try {
    const {answers: [[action]]} = await ask({what: "actions", line: finding.range[0], slug: finding.slug});
    view.dispatch({changes: {from: offset(view.state.doc, action.line, 0), insert: action.text}});
    view.focus();
  } catch (error) {
    failed(error);
  }
}

function goTo(line, column = 0) {
  view.dispatch({selection: {anchor: offset(view.state.doc, line, column)}, scrollIntoView: true});
  lightLines(view, [line], {scroll: true});
  view.focus();
}

// What a tab asks, and what stands above it.
const TABS = {
  objects: {show: showObjects},
  diff: {show: (own) => showText(own, ["diff", "before.yaml", "graph.yaml", ...plain()], "Nothing changes: no pod restarts."), bar: barOfDiff},
  upgrade: {show: (own) => showText(own, ["upgrade", "graph.yaml", "--from", state.from || earlier(), "--to", state.release || about.latest, ...plain()], ""), bar: barOfUpgrade},
  picture: {show: showPicture},
  requires: {show: (own) => showText(own, ["requires", "graph.yaml", ...plain()], "The graph needs nothing beside it.")},
  convert: {show: (own) => showText(own, ["convert", "graph.yaml", "--to", state.to], ""), bar: barOfConvert},
};
const plain = () => ["--color", "never"];

function earlier() {
  const at = about.releases.indexOf(state.release || about.latest);
  return about.releases[Math.max(at - 1, 0)];
}

// Each `show` ends those before it: an answer that comes late shows nothing.
async function show() {
  if (!about) return;
  const own = ++shows;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const chosen = tab.dataset.tab === state.tab;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen) $("panel").setAttribute("aria-labelledby", tab.id);
  }
  const tab = TABS[state.tab] ?? TABS.objects;
  $("bar").replaceChildren(...(tab.bar ? tab.bar() : []));
  if (checked) await tab.show(own);
  if (own !== shows) return;
  $("panel").classList.remove("stale");
  document.body.dataset.shown = `${state.tab} ${run}`;
}

async function showObjects(own) {
  if (checked.yaml === null) {
    $("bar").replaceChildren("rejected");
    return panel(note("The cluster rejects this input, so there are no objects. The findings say what to write instead."));
  }
  const lines = checked.yaml.replace(/\n$/, "").split("\n");
  const kinds = lines.filter((line) => line.startsWith("kind: ")).length;
  $("bar").replaceChildren(`${kinds} objects. `, button("Copy YAML", () => copy(checked.yaml, "YAML copied")));
  const pre = element("pre", {class: "yaml", "aria-label": "Rendered objects"});
  pre.append(...lines.map(yamlLine));
  panel(pre);
  later(own, pre, lines).catch(failed);
}

// Tracing takes longer than rendering, so it waits until nobody types.
async function later(own, pre, lines) {
  await new Promise((done) => setTimeout(done, IDLE));
  if (own !== shows || !checked) return;
  const {answers: [found]} = await ask({what: "trace"});
  if (own === shows && checked && !found.errors) link(pre, lines, found);
}

function yamlLine(text) {
  const line = element("span", {class: "yaml-line"});
  const match = /^(\s*(?:- )*)([^\s:#][^:]*:)(\s.*)?$/.exec(text);
  if (match) line.append(match[1], element("span", {class: "k"}, match[2]), element("span", {class: "v"}, match[3] ?? ""));
  else if (text.startsWith("---")) line.append(element("span", {class: "c"}, text));
  else line.append(text || "\u200b");
  return line;
}

// Lines of the objects and of the input that belong together, both ways.
function link(pre, lines, found) {
  const origins = found.text.replace(/\n$/, "").split("\n");
  traced = {byOutput: new Map(), byInput: new Map()};
  for (const [at, input] of found.places) {
    traced.byOutput.set(at, input);
    traced.byInput.set(input, [...(traced.byInput.get(input) ?? []), at]);
  }
  [...pre.children].forEach((line, at) => {
    const origin = origins[at]?.slice(lines[at].length).trim().replace(/^# /, "").replaceAll("/w/graph.yaml:", "line ");
    if (origin) line.title = origin;
    if (!traced.byOutput.has(at)) return;
    line.classList.add("linked");
    line.dataset.at = String(at);
  });
  const follow = (target) => {
    const line = target.closest?.(".linked");
    if (!line) return;
    const input = traced.byOutput.get(Number(line.dataset.at));
    litOutput(traced.byInput.get(input) ?? [], false);
    lightLines(view, [input], {scroll: true});
    say(line.title);
  };
  pre.onclick = (event) => follow(event.target);
  $("panel").onkeydown = (event) => {
    const all = [...pre.querySelectorAll(".linked")];
    const at = all.indexOf(pre.querySelector(".current"));
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || !all.length) return;
    event.preventDefault();
    const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
    pre.querySelector(".current")?.classList.remove("current");
    next.classList.add("current");
    next.scrollIntoView({block: "nearest"});
    follow(next);
  };
  $("bar").append(" Select a line to see where it comes from.");
  document.body.dataset.linked = String(run);
}

function litOutput(lines, scroll = true) {
  const pre = $("panel").querySelector("pre.yaml");
  if (!pre) return;
  for (const line of pre.querySelectorAll(".lit")) line.classList.remove("lit");
  for (const at of lines) pre.children[at]?.classList.add("lit");
  if (scroll && lines.length) pre.children[lines[0]]?.scrollIntoView({block: "center"});
}

function selected(line) {
  if (traced && state.tab === "objects") litOutput(traced.byInput.get(line) ?? []);
}

async function showText(own, words, empty) {
  const {answers: [result]} = await ask({what: "command", words});
  if (own !== shows) return;
  const pre = element("pre", {});
  const text = (result.out || "").trimEnd();
  if (!text) {
    const said = result.err.trim();
    if (said && result.code > 1) pre.append(element("span", {class: "error-text"}, said));
    else return panel(note(empty || said || "Nothing to show."));
  }
  for (const line of text ? text.split("\n") : []) {
    const sort = /^\s*\+ /.test(line) ? "line-plus" : /^\s*- /.test(line) && state.tab === "diff" ? "line-minus" : "yaml-line";
    pre.append(element("span", {class: sort}, line || "\u200b"), sort === "yaml-line" ? "" : "");
  }
  panel(pre);
}

async function showPicture(own) {
  const {answers: [result]} = await ask({what: "command", words: ["report", "graph.yaml", "-o", "svg"]});
  if (own !== shows) return;
  if (!result.out.startsWith("<svg") && !result.out.startsWith("<?xml")) return panel(note("There is no picture of an input with errors."));
  // An image runs no script, whatever the graph's names hold.
  const image = element("img", {alt: "Components, pods, GPUs and Services of the graph"});
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(result.out)}`;
  panel(image);
}

function barOfDiff() {
  const same = state.before === state.text;
  return [
    same ? "The text is as it was opened. Change it to see what restarts." : "Compared with the text as it was opened.",
    button("Compare with this text from now on", () => { state.before = state.text; update().catch(failed); }),
  ];
}

function barOfUpgrade() {
  const choice = element("select", {"aria-label": "Release that runs now"});
  for (const name of about.releases) choice.append(new Option(name, name));
  choice.value = state.from || earlier();
  choice.onchange = () => { state.from = choice.value; update().catch(failed); };
  return ["From", choice, `to ${state.release || about.latest}`];
}

function barOfConvert() {
  const choice = element("select", {"aria-label": "Version to convert to"});
  for (const name of ["v1alpha1", "v1beta1"]) choice.append(new Option(name, name));
  choice.value = state.to;
  choice.onchange = () => { state.to = choice.value; update().catch(failed); };
  return ["To", choice, button("Use it", () => {
    const text = $("panel").querySelector("pre")?.innerText.replaceAll("\u200b", "");
    if (text) { setText(view, `${text.trimEnd()}\n`); state.to = state.to === "v1alpha1" ? "v1beta1" : "v1alpha1"; }
  })];
}

async function complete(context) {
  const word = context.matchBefore(/[\w./-]*/);
  if (!context.explicit && !word?.text && !/[:\- ]$/.test(context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos))) return null;
  if (!engine.ready) return null;
  const line = context.state.doc.lineAt(context.pos);
  state.text = context.state.doc.toString();
  const {answers: [items]} = await ask({what: "complete", line: line.number - 1, character: context.pos - line.from});
  if (context.aborted || !items.length) return null;
  const from = offset(context.state.doc, ...items[0].from);
  return {
    from,
    options: items.map((item) => ({
      label: item.text.trim().replace(/:$/, ""), displayLabel: item.label, apply: item.text, detail: item.detail ?? "",
      info: item.info ? () => element("div", {}, unmarked(item.info)) : undefined,
      type: {Field: "property", Value: "enum", EnumMember: "enum"}[item.kind] ?? "text",
    })),
    validFor: /^[\w.-]*$/,
  };
}

async function hover(target, at) {
  if (!engine.ready || !checked) return null;
  const line = target.state.doc.lineAt(at);
  let text;
  try {
    [text] = (await ask({what: "hover", line: line.number - 1, character: at - line.from})).answers;
  } catch {
    return null;
  }
  if (!text) return null;
  return {pos: at, create: () => ({dom: element("div", {class: "hover-text"}, unmarked(text))})};
}

const unmarked = (text) => text.replace(/^```\w*$/gm, "").replaceAll("**", "").replaceAll("`", "").replace(/\n{3,}/g, "\n\n").trim();

function panel(content) {
  $("panel").onkeydown = null;
  $("panel").replaceChildren(content);
  traced = null;
}

const note = (text) => element("div", {class: "message"}, text);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function button(text, action) {
  const made = element("button", {type: "button"}, text);
  made.onclick = action;
  return made;
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    say("The browser does not allow to copy.");
  }
}

function commandLine() {
  const release = state.release || about?.latest;
  const terms = `--operator-version ${release}${state.target === "auto" ? "" : ` --target ${state.target}`}${state.cluster.trim() ? " --cluster cluster.yaml" : ""}`;
  const from = state.from || (about ? earlier() : "");
  return {
    objects: `dynamoc render graph.yaml ${terms}`,
    diff: `dynamoc diff before.yaml graph.yaml ${terms}`,
    upgrade: `dynamoc upgrade graph.yaml --from ${from} --to ${release}${terms.replace(/--operator-version \S+/, "")}`,
    picture: `dynamoc report graph.yaml -o svg ${terms}`,
    requires: `dynamoc requires graph.yaml ${terms}`,
    convert: `dynamoc convert graph.yaml --to ${state.to}`,
  }[state.tab];
}

async function shareLink() {
  const {text, before, cluster, release, target, tab, from} = state;
  const fragment = await encoded({text, before: before === text ? "" : before, cluster, release, target, tab, from});
  history.replaceState(null, "", `#${fragment}`);
  await copy(location.href, "Link copied: it holds the text and the choices, and nothing is sent");
}

function open(found) {
  Object.assign(state, {before: "", cluster: "", release: "", target: "auto", tab: "objects", from: ""}, found);
  state.before ||= state.text;
  $("target").value = ["auto", "grove", "lws", "plain"].includes(state.target) ? state.target : "auto";
  state.target = $("target").value;
  $("cluster-text").value = state.cluster;
  if (about) {
    if (!about.releases.includes(state.release)) state.release = "";
    $("release").value = state.release || about.latest;
  }
  if (!TABS[state.tab]) state.tab = "objects";
  if (view) setText(view, state.text);
}

function wire() {
  $("example").append(new Option("Choose", ""), ...examples.map((each, at) => new Option(each.title, String(at))));
  $("example").onchange = (event) => {
    const chosen = examples[Number(event.target.value)];
    if (event.target.value && chosen) { open({...chosen}); update().catch(failed); }
  };
  $("release").onchange = (event) => { state.release = event.target.value; update().catch(failed); };
  $("target").onchange = (event) => { state.target = event.target.value; update().catch(failed); };
  $("cluster-button").onclick = () => {
    const isOpen = $("cluster").hidden;
    $("cluster").hidden = !isOpen;
    $("cluster-button").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) $("cluster-text").focus();
  };
  $("cluster-text").oninput = (event) => { state.cluster = event.target.value; changed(state.text); };
  $("share").onclick = shareLink;
  $("copy-command").onclick = () => copy(commandLine(), `Copied: ${commandLine()}`);
  $("cancel").onclick = () => { engine.cancel(); $("cancel").hidden = true; };
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const tab of tabs) {
    tab.onclick = () => { state.tab = tab.dataset.tab; show().catch(failed); };
    tab.onkeydown = (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    };
  }
  const divider = $("divider");
  const widen = (percent) => {
    const width = Math.min(80, Math.max(20, percent));
    document.documentElement.style.setProperty("--width", `${width}%`);
    divider.setAttribute("aria-valuenow", String(Math.round(width)));
  };
  divider.onpointerdown = (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.onpointermove = (move) => widen((100 * move.clientX) / innerWidth);
    divider.onpointerup = () => { divider.onpointermove = null; };
  };
  divider.onkeydown = (event) => {
    const step = {ArrowRight: 5, ArrowLeft: -5}[event.key];
    if (step) widen(Number(divider.getAttribute("aria-valuenow")) + step);
  };
  addEventListener("hashchange", () => fromLink().then((found) => { if (found) { open(found); update().catch(failed); } }));
}

async function fromLink() {
  try {
    return await decoded(location.hash.slice(1));
  } catch (error) {
    say(`The link cannot be read: ${error.message}`);
    return null;
  }
}

async function begin() {
  const found = await fromLink();
  examples = await (await fetch("examples.json")).json();
  open(found ?? {...examples[0]});
  view = createEditor({parent: $("editor"), text: state.text, changed, complete, hover, selected});
  wire();
  panel(note("dynamoc is loading. The first visit loads about 8 MB; later ones work without a network."));
  await show();
  if (engine.ready) await first();
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("service-worker.js").catch(() => {});
}

begin().catch(failed);
