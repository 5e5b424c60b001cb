// The editor: YAML, findings as marks, completion and hover from the language server's code.
import {autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap} from "@codemirror/autocomplete";
import {defaultKeymap, history, historyKeymap, indentWithTab} from "@codemirror/commands";
import {yaml} from "@codemirror/lang-yaml";
import {HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentUnit, syntaxHighlighting} from "@codemirror/language";
import {lintGutter, lintKeymap, setDiagnostics} from "@codemirror/lint";
import {highlightSelectionMatches, search, searchKeymap} from "@codemirror/search";
import {EditorState, StateEffect, StateField} from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";
import {tags} from "@lezer/highlight";

const colours = HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)"},
  {tag: [tags.string, tags.content], color: "var(--text)"},
  {tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--number)"},
  {tag: tags.comment, color: "var(--comment)"},
]);

const light = StateEffect.define();
const lit = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let found = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(light)) found = effect.value;
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function createEditor({parent, text, changed, complete, hover, selected}) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(),
        highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({top: true}), lit,
        yaml(), syntaxHighlighting(colours), indentUnit.of("  "),
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({"aria-label": "Graph, as YAML", "aria-describedby": "status"}),
        autocompletion({override: [complete], activateOnTyping: true}),
        hoverTooltip(hover, {hoverTime: 350}),
        keymap.of([
          ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap,
          ...completionKeymap, ...lintKeymap, indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
          if (update.selectionSet) selected(update.state.doc.lineAt(update.state.selection.main.head).number - 1);
        }),
      ],
    }),
  });
  // The text in it takes the focus; checkers of accessibility look at what scrolls.
  view.scrollDOM.tabIndex = 0;
  view.scrollDOM.setAttribute("role", "region");
  view.scrollDOM.setAttribute("aria-label", "Input");
  return view;
}

// Lines and columns from 0, within the text as it is now.
export function offset(document, line, column) {
  const found = document.line(Math.min(Math.max(line + 1, 1), document.lines));
  return Math.min(found.from + column, found.to);
}

export function showFindings(view, diagnostics) {
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

export function lightLines(view, lines, {scroll = false} = {}) {
  const doc = view.state.doc;
  const known = [...new Set(lines)].filter((line) => line >= 0 && line < doc.lines).sort((a, b) => a - b);
  const marks = known.map((line) => Decoration.line({class: "lit"}).range(doc.line(line + 1).from));
  const effects = [light.of(Decoration.set(marks))];
  if (scroll && known.length) effects.push(EditorView.scrollIntoView(doc.line(known[0] + 1).from, {y: "center"}));
  view.dispatch({effects});
}

export function setText(view, text) {
  view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}});
}
