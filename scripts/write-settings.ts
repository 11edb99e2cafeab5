import { readFile, writeFile } from 'node:fs/promises';
import { packageRoot } from '../src/platform/package-root.ts';
import { readmeWithSettings, settingsDocument } from './settings-document.ts';

const readme = new URL('README.md', packageRoot);
await writeFile(new URL('docs/settings.md', packageRoot), settingsDocument());
await writeFile(readme, readmeWithSettings(await readFile(readme, 'utf8')));
