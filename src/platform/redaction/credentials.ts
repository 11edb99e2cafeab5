// Patterns must be linear on hostile text: bounded repeats, matches only at token starts.

const SECRET_NAME =
  'pass(?:word|wd|phrase)|pwd|secret|token|api[ _-]?key|(?:access|account|private|shared|signing|encryption|master)[ _-]?(?:access[ _-]?)?key|credentials?|connection[ _-]?string|signature|authorization|cookie|(?<![a-z])(?:pass|auth|sig|dsn)';
const QUOTED = String.raw`"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)|\\{1,7}["'][^"']*(?:["']|$)`;
// Up to the next field of a DSN, query, JSON text or sentence.
const UNQUOTED = String.raw`(?:(?:Bearer|Basic|Token|Digest)\s+)?(?:[^\s;"'&\\]|\\(?!["'])|;(?!\s|$|[\w ]{1,40}=)|&(?![\w.-]{1,40}=))+`;

const FIELD = new RegExp(
  String.raw`((?<![\w.-])[\w.-]{0,100}?(?:${SECRET_NAME})(?:[_-]?(?:key(?:[_-]?id)?|id|value|hash)| provided)?(?:\\{0,7}["'])?[ \t\u00a0]{0,3})(={1,3}>?|:)([ \t\u00a0]{0,3})(${QUOTED}|${UNQUOTED})`,
  'gi',
);
const QUERY_FIELD = /([?&](?:key|code|pass|session|sid|jwt|sas|sv)=)[^&\s"'#]+/gi;
const HOST_FIELD =
  /((?<![\w.-])(?:host(?:name|addr)?|server(?: ?name)?|data source|network address|endpoint)[ \t]{0,3}=[ \t]{0,3}["']?)(?!true\b|false\b|null\b|undefined\b|https?:|\/|\[redacted)[^\s;"',]+(?:,\d{1,5})?/gi;
// In printed objects and certificate comparisons.
const HOST_PROPERTY =
  /((?<![\w.-])(?:host(?:name|addr)?|servername)(?:\\{0,7}["'])?:[ \t]{0,3})(\\{0,7}["'])?([\w.-]{1,255})/gi;
const SCHEME = /(?<![\w-])(Bearer|Basic|Negotiate)(\s{1,3})([\w.~+/=*-]{6,})/gi;
const KEY =
  /(?<![\w-])(?:(?:sk|rk)[-_]|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AIza|ya29\.|npm_|hf_|gsk_|whsec_|lsv2_(?:pt|sk)_|slp_|SG\.|tvly-|xai-|pplx-|r8_|dckr_pat_|dop_v1_|shpat_|glsa_|sbp_|sntry[su]_|ATATT)[\w.+/=*-]{6,}/g;
const AWS_KEY_ID = /(?<!\w)(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}/g;
const AWS_SECRET =
  /(?<![\w/+=])(?=[A-Z\d/+]{0,39}[a-z])(?=[a-z\d/+]{0,39}[A-Z])(?=[A-Za-z/+]{0,39}\d)[\w/+]{40}(?![\w/+=])/g;
const JWT = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g;
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g;
// Logins without a scheme: user:password@host, user:password@tcp(host:port)/name.
const LOGIN =
  /(?<![\w/:@.%+-])(?!mailto:)[\w.%+-]{1,64}:[^\s:@/'"]{1,128}@(?:[a-z]{2,8}\([^\s)]*\)|[\w-][\w.-]*)(?::\d{1,5})?(?:\/[^\s"']*)?/gi;
// On command lines: --password x, curl -u user:password, mysql -ppassword.
const FLAG = new RegExp(
  String.raw`((?<![\w-])--[\w-]{0,40}(?:pass(?:word|wd|phrase)?|secret|token|api-?key)[ \t]{1,3})(?!-)(${QUOTED}|[^\s"']+)`,
  'gi',
);
const FLAG_PROSE =
  /^(?:or|and|is|was|to|for|with|in|on|option|flag|argument|must|not|needs?|requires?)[,.;:)]?$/i;
const USER_FLAG = /((?<![\w-])(?:-u|--(?:proxy-)?user)[ \t=]{0,3}["']?)[^\s:"']{1,64}:[^\s"']{1,128}/g;
const MYSQL_FLAG = /((?<![\w-])(?:mysql|mariadb)[\w-]{0,12}[ \t][^\n]{0,200}?[ \t]-p)[^\s"']+/gi;
// user/password@host
const ORACLE = /(?<![\w-])(?:jdbc:oracle:[a-z]{1,10}:|sqlplus[ \t]{1,3})[^\s"'@]{1,128}@[^\s"']+/gi;

// Words that follow `password:` or `token:` in prose rather than data.
const PROSE =
  /^(?:required|missing|invalid|expected|must|is|was|not|should|cannot|can|too|wrong|incorrect|undefined|null|empty|string|unknown|the|an?|no|at|received|does|did|authentication|failed|mismatch|expired|none|true|false|please)\b|^[^\w"'\\]/i;

const hasDigit = (text: string): boolean => /[\d*]/.test(text);
const looksRandom = (text: string): boolean =>
  text.length >= 6 && (hasDigit(text) || /[a-z][A-Z]|=/.test(text));

function redactField(whole: string, name: string, separator: string, gap: string, value: string): string {
  const quote = /^\\*["']/.exec(value)?.[0] ?? '';
  const hidden = `${name}${separator}${gap}${quote}[redacted]${quote}`;
  if (quote) return value === quote + quote ? whole : hidden;
  if (separator !== ':') return /^(?:null|undefined|true|false|none)\b/i.test(value) ? whole : hidden;
  if (/pass|pwd/i.test(name)) return PROSE.test(value) ? whole : hidden;
  return /^(?:Bearer|Basic|Token|Digest)\s/i.test(value) || looksRandom(value) ? hidden : whole;
}

/** Redacts passwords, keys, tokens and logins in any text. */
export function redactCredentials(text: string): string {
  return text
    .replace(PRIVATE_KEY, '[redacted]')
    .replace(ORACLE, '[redacted url]')
    .replace(FLAG, (whole, flag: string, value: string) =>
      FLAG_PROSE.test(value) ? whole : `${flag}[redacted]`,
    )
    .replace(USER_FLAG, '$1[redacted]')
    .replace(MYSQL_FLAG, '$1[redacted]')
    .replace(FIELD, redactField)
    .replace(QUERY_FIELD, '$1[redacted]')
    .replace(HOST_FIELD, '$1[redacted host]')
    .replace(HOST_PROPERTY, (whole, name: string, quote: string | undefined, host: string) =>
      quote || /[\d.-]/.test(host) ? `${name}${quote ?? ''}[redacted host]` : whole,
    )
    .replace(SCHEME, (whole, scheme: string, gap: string, value: string) =>
      looksRandom(value) || value.length >= 20 ? `${scheme}${gap}[redacted]` : whole,
    )
    .replace(KEY, (key) => (hasDigit(key) ? '[redacted]' : key))
    .replace(AWS_KEY_ID, '[redacted]')
    .replace(AWS_SECRET, '[redacted]')
    .replace(JWT, '[redacted]')
    .replace(LOGIN, '[redacted url]');
}
