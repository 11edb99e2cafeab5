import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DAYS = '2';

/**
 * Creates a certificate authority and certificates for a server of this name and its clients: `ca.pem`, `cert.pem` and
 * `key.pem`, as DOCKER_CERT_PATH expects. Returns the server's files.
 */
export async function makeCertificates(
  dir: string,
  name: string,
): Promise<{ ca: string; serverCert: string; serverKey: string }> {
  const at = (file: string) => join(dir, file);
  await mkdir(dir);
  const openssl = (...args: string[]) => run('openssl', args, { cwd: dir });
  const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = [
    '-x509',
    '-days',
    DAYS,
    '-subj',
    '/CN=engines',
    '-keyout',
    'ca-key.pem',
    '-out',
    'ca.pem',
  ];
  await openssl(...newKey, ...authority);
  for (const [cert, key, subject] of [
    ['server-cert.pem', 'server-key.pem', name],
    ['cert.pem', 'key.pem', 'client'],
  ] as const) {
    const about = ['-subj', `/CN=${subject}`, '-addext', `subjectAltName=DNS:${subject}`];
    await openssl(...newKey, ...about, '-keyout', key, '-out', 'request.pem');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-days', DAYS];
    await openssl('x509', '-req', '-in', 'request.pem', ...signed, '-copy_extensions', 'copy', '-out', cert);
  }
  return { ca: at('ca.pem'), serverCert: at('server-cert.pem'), serverKey: at('server-key.pem') };
}
