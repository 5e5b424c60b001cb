"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dock = document.getElementById("dock");
  const lines = data.lines || [], origins = data.origins || [];
  const [SHORT, SENTENCE, STEP, SUMMARY, FILE, LINE, MADE, LOST] = [0, 1, 2, 3, 4, 5, 6, 7];
  let back = null;
  let uses = null;
  // What scrolls below a pointer that rests was not pointed at.
  let rests = false, spot = "";

  const element = (name, text, parent) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  /** A sentence, with what stands between backticks as code. */
  const prose = (text, parent) => text.split("`").forEach((part, at, all) => {
    if (all.length % 2 && at % 2) element("code", part, parent);
    else parent.append(at && all.length % 2 === 0 ? `\`${part}` : part);
  });
  const placeOf = (file, line) => `${data.files[file]}:${line}`;

  /** Which lines of objects have to do with a line of the input: `file-line` to [object, line]. */
  const used = () => {
    if (uses) return uses;
    uses = new Map();
    const note = (key, place) => uses.has(key) ? uses.get(key).push(place) : uses.set(key, [place]);
    lines.forEach((numbers, object) => numbers.forEach((number, line) => {
      if (number < 0) return;
      const origin = origins[number];
      if (origin[FILE] >= 0) note(`${origin[FILE]}-${origin[LINE]}`, [object, line]);
      for (const [file, from] of origin[MADE]) note(`${file}-${from}`, [object, line]);
    }));
    return uses;
  };

  /** Makes the lines of an object, when it is opened. */
  const open = (details) => {
    const pre = details.querySelector("pre[data-object]");
    if (!pre) return;
    const object = Number(pre.dataset.object), made = document.createElement("div");
    made.className = "code";
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", `Lines of ${details.querySelector("summary").textContent}`);
    pre.textContent.split("\n").forEach((text, at) => {
      const line = element("div", "", made), number = lines[object][at];
      line.className = "l";
      line.tabIndex = -1;
      line.id = `o${object}-${at}`;
      element("span", text, line);
      if (number === undefined || number < 0) return;
      line.dataset.o = number;
      line.setAttribute("role", "button");
      element("small", origins[number][SHORT], line);
    });
    pre.replaceWith(made);
    rove(made, made.firstElementChild);
  };

  /** One line of a block is in the tab order; the arrows move from there. */
  const rove = (block, line) => {
    const before = block.querySelector(".l[tabindex='0']");
    if (before) before.tabIndex = -1;
    if (line) line.tabIndex = 0;
  };
  document.querySelectorAll(".file .code").forEach((block) => rove(block, block.querySelector(".l")));

  const markUses = () => {
    for (const key of used().keys()) {
      const line = document.getElementById(`i${key}`);
      if (!line) continue;
      line.classList.add("has");
      line.setAttribute("role", "button");
    }
  };

  const link = (text, id, parent) => {
    const made = element("a", text, parent);
    made.href = `#${id}`;
    made.className = "to";
    return made;
  };

  const places = (title, list, parent, shown = 12) => {
    if (!list.length) return;
    const row = element("div", `${title} `, parent);
    list.slice(0, shown).forEach(([text, id], at) => {
      if (at) row.append(", ");
      link(text, id, row);
    });
    if (list.length > shown) row.append(` and ${list.length - shown} more`);
  };

  const showOrigin = (line) => {
    const origin = origins[Number(line.dataset.o)];
    dock.replaceChildren();
    const first = element("div", "", dock);
    element("b", "From ", first);
    if (origin[FILE] >= 0) {
      const place = placeOf(origin[FILE], origin[LINE]);
      link(place, `i${origin[FILE]}-${origin[LINE]}`, first);
      const rest = origin[SENTENCE].slice(origin[SENTENCE].indexOf(" "));
      first.append(origin[SENTENCE].startsWith(data.files[origin[FILE]]) ? rest : ` ${origin[SENTENCE]}`);
    } else first.append(origin[SENTENCE]);
    places("Made of", origin[MADE].map(([file, at]) => [placeOf(file, at), `i${file}-${at}`]), dock);
    if (origin[STEP]) {
      const step = element("div", "Set by ", dock);
      element("code", origin[STEP], step);
      if (origin[SUMMARY]) prose(`: ${origin[SUMMARY]}`, step);
    }
    for (const lost of origin[LOST]) element("div", `Instead of ${lost}`, dock).className = "faint";
    dock.hidden = false;
  };

  const titleOf = (object) => document.querySelector(`#o${object} > summary`).textContent;

  const showUses = (line) => {
    const found = used().get(line.id.slice(1)) || [];
    if (!found.length) return hide();
    dock.replaceChildren();
    const counts = new Map();
    for (const [object, at] of found) {
      const known = counts.get(object) || [];
      known.push(at);
      counts.set(object, known);
    }
    element("b", `Has to do with ${found.length} value${found.length === 1 ? "" : "s"}`, dock);
    const list = [...counts].map(([object, at]) => [
      titleOf(object) + (at.length > 1 ? ` (${at.length})` : ""), `o${object}-${at[0]}`]);
    places("In", list, dock);
    dock.hidden = false;
  };

  const show = (line) => {
    if (line.dataset.o !== undefined) showOrigin(line);
    else if (line.classList.contains("has")) showUses(line);
    else hide();
  };
  const hide = () => { dock.hidden = true; };

  /** Goes to a line by its identifier, opens what it is in, and remembers where it came from. */
  const go = (id, from) => {
    const object = /^o(\d+)(-\d+)?$/.exec(id);
    if (object) {
      const details = document.getElementById(`o${object[1]}`);
      if (!details) return false;
      details.open = true;
      open(details);
    }
    const target = document.getElementById(id);
    if (!target) return false;
    // What a link leads to is shown, whatever was typed.
    if (target.closest(".filtered")) {
      field.value = "";
      filter("");
    }
    for (let holder = target.closest("details"); holder; holder = holder.parentElement.closest("details")) {
      holder.open = true;
    }
    if (!target.matches(".l, td, tr")) return false;
    if (from) back = from;
    rests = true;
    document.querySelectorAll(".at").forEach((marked) => marked.classList.remove("at"));
    const marked = target.closest("tr") || target;
    marked.classList.add("at");
    if (target.classList.contains("l")) rove(target.closest(".code"), target);
    else target.tabIndex = -1;
    target.focus({preventScroll: true});
    target.scrollIntoView({block: "center", inline: "nearest"});
    return true;
  };

  /** From a value to its line in the input, from a line to the first value. */
  const follow = (line) => {
    if (line.dataset.o !== undefined) {
      const origin = origins[Number(line.dataset.o)];
      const [file, at] = origin[FILE] >= 0 ? [origin[FILE], origin[LINE]] : origin[MADE][0] || [];
      if (file !== undefined) go(`i${file}-${at}`, line);
    } else if (line.classList.contains("has")) {
      const [object, at] = used().get(line.id.slice(1))[0];
      go(`o${object}-${at}`, line);
    }
  };

  const lineOf = (event) => event.target.closest ? event.target.closest(".l") : null;
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details.object") && event.target.open) open(event.target);
  }, true);
  document.addEventListener("keydown", () => { rests = true; }, true);
  document.addEventListener("mousemove", (event) => {
    const now = `${event.clientX} ${event.clientY}`;
    if (now === spot) return;
    spot = now;
    if (rests && lineOf(event)) show(lineOf(event));
    rests = false;
  });
  document.addEventListener("mouseover", (event) => {
    const line = lineOf(event);
    if (line && !rests) show(line);
  });
  document.addEventListener("focusin", (event) => {
    const line = lineOf(event);
    if (line) show(line);
  });
  document.addEventListener("click", (event) => {
    const to = event.target.closest("a.to");
    if (to) {
      const from = document.querySelector(".l:focus") || to;
      if (go(to.hash.slice(1), dock.contains(to) ? from : to)) event.preventDefault();
      return;
    }
    const line = lineOf(event);
    if (line && !String(getSelection())) {
      rove(line.closest(".code"), line);
      follow(line);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (back && document.contains(back)) {
        const to = back;
        back = null;
        if (to.id) go(to.id); else to.focus();
      }
      hide();
      return;
    }
    const line = lineOf(event);
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = [...line.closest(".code").querySelectorAll(".l")], at = all.indexOf(line);
    const moves = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1};
    if (event.key === "Enter") follow(line);
    else if (event.key in moves && all[moves[event.key]]) {
      rove(line.closest(".code"), all[moves[event.key]]);
      all[moves[event.key]].focus();
    } else return;
    event.preventDefault();
  });
  /** Shows what has all of the words that were typed: objects, files and rows of tables. */
  const texts = new Map();
  const filter = (words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of document.querySelectorAll("details.object, details.change, details.file, .list tbody tr, .why")) {
      if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
      const fits = wanted.every((word) => texts.get(item).includes(word));
      item.classList.toggle("filtered", !fits);
      shown += fits;
    }
    document.getElementById("filtered").value = wanted.length ? `${shown} of ${texts.size} shown` : "";
  };
  const box = document.getElementById("filter"), field = box.querySelector("input");
  let waits = 0;
  box.hidden = false;
  field.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(() => filter(field.value), 150);
  });

  document.querySelectorAll("details.object[open]").forEach(open);
  if (lines.length) markUses();
  if (location.hash) go(location.hash.slice(1));
})();
