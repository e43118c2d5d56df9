/** Files that were dropped or chosen, folders with everything in them. */

export interface ChosenFile {
  file: File;
  /** With the folders it lies in. */
  name: string;
}

/** No folder of records has more files than the server would take. */
const MAX_FILES = 2000;
/** Of a chosen file that is kept in a draft. */
const MAX_KEPT_BYTES = 200_000;

/** Entries must be asked for at once: after the event they are gone. */
export async function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const files = [...transfer.files];
  if (entries.every((entry) => entry === null))
    return files.map((file) => ({ file, name: file.name }));
  const found: ChosenFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, "", found);
  return found;
}

export function pickedFiles(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
}

/** The texts of files by name; those that are no text, or too large for a draft, are left out. */
export async function readTexts(files: ChosenFile[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { file, name } of files) {
    if (file.size > MAX_KEPT_BYTES) continue;
    try {
      const bytes = await file.arrayBuffer();
      texts[name] = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // not text, or it was moved meanwhile
    }
  }
  return texts;
}

/** Files with these texts. */
export function asFiles(texts: Record<string, string>): ChosenFile[] {
  return Object.entries(texts).map(([name, text]) => ({ name, file: new File([text], name) }));
}

async function collect(entry: FileSystemEntry, folder: string, found: ChosenFile[]): Promise<void> {
  if (found.length >= MAX_FILES) return;
  const name = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    found.push({ file, name });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (!some.length) return;
    for (const inner of some) await collect(inner, `${name}/`, found);
  }
}
