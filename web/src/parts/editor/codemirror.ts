/** The code editor. All of CodeMirror is here, so that it is loaded only when code is edited. */

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  type LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags as tag } from "@lezer/highlight";

export interface Complaint {
  line: number;
  why: string;
}

const COLOURS = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "14px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--faint)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      backgroundColor: "color-mix(in srgb, var(--focus) 26%, transparent)",
    },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "8px",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
  },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
    textUnderlineOffset: "3px",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});

const HIGHLIGHTS = HighlightStyle.define([
  {
    tag: [tag.keyword, tag.operatorKeyword, tag.modifier],
    color: "var(--code-keyword)",
    fontWeight: "600",
  },
  { tag: [tag.string, tag.special(tag.string)], color: "var(--code-string)" },
  { tag: [tag.number, tag.bool, tag.null, tag.self], color: "var(--code-number)" },
  { tag: [tag.comment], color: "var(--code-comment)", fontStyle: "italic" },
  {
    tag: [tag.function(tag.definition(tag.variableName)), tag.function(tag.variableName)],
    color: "var(--code-name)",
  },
  { tag: [tag.definition(tag.className), tag.className, tag.typeName], color: "var(--code-type)" },
  { tag: [tag.meta, tag.processingInstruction], color: "var(--code-type)" },
]);

function languageOf(path: string): LanguageSupport | [] {
  if (/\.pyi?$/.test(path)) return python();
  if (/\.(c|cc|cpp|h|hpp)$/.test(path)) return cpp();
  if (/\.(m?js|ts|json)$/.test(path)) return javascript({ typescript: path.endsWith(".ts") });
  return [];
}

/** An editor in a shadow root of its own: there its styles obey our content security policy. */
export class Editor {
  private readonly view: EditorView;
  private path = "";

  constructor(
    host: HTMLElement,
    label: string,
    private readonly changed: (path: string, text: string) => void,
    private readonly save: () => void,
  ) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.label = label;
    this.view = new EditorView({ parent: root as unknown as Element, root });
  }

  private readonly label: string;

  open(path: string, text: string, complaints: Complaint[], line: number | null): void {
    this.path = path;
    this.view.setState(EditorState.create({ doc: text, extensions: this.extensions(path) }));
    this.mark(complaints);
    if (line) this.go(line);
  }

  /** Shows complaints at their lines. */
  mark(complaints: Complaint[]): void {
    const { doc } = this.view.state;
    const diagnostics = complaints
      .filter(({ line }) => line >= 1 && line <= doc.lines)
      .map(({ line, why }): Diagnostic => {
        const { from, to, text } = doc.line(line);
        const indent = text.length - text.trimStart().length;
        return { from: Math.min(from + indent, to), to, severity: "error", message: why };
      });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  go(line: number): void {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }

  private extensions(path: string) {
    return [
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      indentOnInput(),
      indentUnit.of("    "),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      lintGutter(),
      languageOf(path),
      syntaxHighlighting(HIGHLIGHTS),
      COLOURS,
      EditorView.contentAttributes.of({ "aria-label": `${this.label} ${path}` }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.changed(this.path, update.state.doc.toString());
      }),
      keymap.of([
        { key: "Mod-s", preventDefault: true, run: () => (this.save(), true) },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        indentWithTab,
      ]),
    ];
  }
}
