import type { TracingDeps } from '../tracing-deps.ts';

type Box = TracingDeps['box'];

const PURPOSE = 'tracing export';

/** Grants the download of one export until it expires. */
export interface Download {
  tenant_id: string;
  export_id: string;
  /** Milliseconds since 1970. */
  expires: number;
}

export const issueDownload = (box: Box, download: Download): string =>
  box.sealBytes(Buffer.from(JSON.stringify(download)), PURPOSE).toString('base64url');

/** Undefined for an invalid or expired token. */
export function readDownload(box: Box, token: string): Download | undefined {
  try {
    const text = box.openBytes(Buffer.from(token, 'base64url'), PURPOSE).toString('utf8');
    const download = JSON.parse(text) as Download;
    return download.expires > Date.now() ? download : undefined;
  } catch {
    return undefined;
  }
}
