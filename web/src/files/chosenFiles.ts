/** Files that were dropped or chosen, folders with everything in them. */

export interface ChosenFile {
  file: File;
  /** With the folders it lies in. */
  name: string;
}

/** No folder of records has more files than the server would take. */
const MAX_FILES = 2000;

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
