import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { compileValidator } from '../../platform/schema.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { StartFailed } from '../errors.ts';
import { askHelper } from './credential-helper.ts';

/** Credentials for pulling an image. */
export interface PullCredential {
  username: string;
  password: string;
  /** Host and port, or Docker Hub's address. */
  serveraddress: string;
}

const Login = Type.Object({
  /** Base64 of `<username>:<password>`. */
  auth: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
});
const LoginFile = Type.Object({
  auths: Type.Optional(Type.Record(Type.String(), Login)),
  /** Helpers by registry. */
  credHelpers: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Default helper. */
  credsStore: Type.Optional(Type.String()),
});
type LoginFile = Static<typeof LoginFile>;
// Reveals neither path nor content: deployers read this.
const unreadable = () => new StartFailed('SLIPWAY_REGISTRY_AUTH_FILE cannot be read');
const checkedFile = compileValidator(LoginFile, 'body', unreadable);

// Registry of images without a host, and the key of its logins.
const HUB = 'docker.io';
const HUB_ADDRESS = 'https://index.docker.io/v1/';
const HUB_NAMES = ['index.docker.io', 'registry-1.docker.io'];

/**
 * Looks up an image's registry in the login file; undefined if it has no entry. The longest key in `auths` wins and
 * may include a path; otherwise the registry's helper, or `credsStore`, is asked. The file is read each time, because
 * it may change. Throws StartFailed.
 */
export async function loginFor(
  config: Partial<
    Pick<ControlPlaneSettings, 'SLIPWAY_REGISTRY_AUTH_FILE' | 'SLIPWAY_REGISTRY_HELPER_SECONDS'>
  >,
  image: string,
): Promise<PullCredential | undefined> {
  const { SLIPWAY_REGISTRY_AUTH_FILE: file, SLIPWAY_REGISTRY_HELPER_SECONDS: seconds = 0 } = config;
  if (!file) return undefined;
  const repository = repositoryOf(image);
  const host = repository.split('/')[0]!;
  const serveraddress = host === HUB ? HUB_ADDRESS : host;
  const logins = await readLogins(file);
  const [written] = Object.entries(logins.auths ?? {})
    .map(([key, login]) => ({ key: registryOf(key), login }))
    .filter(({ key }) => repository === key || repository.startsWith(`${key}/`))
    .toSorted((one, other) => other.key.length - one.key.length);
  const credential = written && credentialOf(written.login, serveraddress);
  const helper = helperOf(logins, host);
  if (credential || !helper) return credential;
  const answer = await askHelper(helper, serveraddress, seconds * 1000);
  return answer && { ...answer, serveraddress };
}

const helperOf = ({ credHelpers = {}, credsStore }: LoginFile, host: string): string | undefined =>
  Object.entries(credHelpers).find(([key]) => registryOf(key) === host)?.[1] ?? credsStore;

async function readLogins(file: string): Promise<LoginFile> {
  const parsed = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .catch(() => Promise.reject(unreadable()));
  return checkedFile(parsed);
}

function credentialOf(login: Static<typeof Login>, serveraddress: string): PullCredential | undefined {
  const { auth, username, password } = login;
  if (username !== undefined && password !== undefined) return { username, password, serveraddress };
  const [, user, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(auth ?? '', 'base64').toString('utf8')) ?? [];
  return user && secret ? { username: user, password: secret, serveraddress } : undefined;
}

/** Registry and path of an image, without tag and digest. */
function repositoryOf(image: string): string {
  const [first = '', ...rest] = image
    .replace(/@.*$/, '')
    .replace(/:[^/:]*$/, '')
    .split('/');
  const isHost = rest.length > 0 && /[.:]|^localhost$/.test(first);
  return isHost ? [hub(first), ...rest].join('/') : [HUB, first, ...rest].join('/');
}

/** Normalises a key as written by `docker login`: a host, or an address like `https://index.docker.io/v1/`. */
function registryOf(key: string): string {
  const [host = '', ...path] = key
    .replace(/^https?:\/\//, '')
    .replace(/(\/v[12])?\/*$/, '')
    .split('/');
  return [hub(host), ...path].join('/');
}

const hub = (host: string): string => (HUB_NAMES.includes(host) ? HUB : host);
