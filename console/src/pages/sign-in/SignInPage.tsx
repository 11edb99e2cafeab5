import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { chooseTenant } from '../../api/http.ts';
import { sessionKey, sessionQuery, signIn, signInByLink, signInMethodsQuery } from '../../api/session.ts';
import { Command } from '../../parts/Command.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { useSearch } from '../../parts/use-search.ts';
import classes from './SignInPage.module.css';

const REFUSALS: Record<string, string> = {
  no_workspace: 'Your account has no workspace here. Ask an admin of the platform for access.',
  refused: 'Sign-in was rejected or took too long. Try again.',
  link: 'This link was used already or has expired. Start the platform again for a new one, or sign in with the API key.',
};

const isLocal = (path: string | null): path is string => /^\/(?![/\\])/.test(path ?? '');

/** The token of a one-time link. It is in the fragment, which browsers send to no server. */
const linkToken = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get('link');

export function Component() {
  const [search] = useSearch();
  const { data: session } = useQuery(sessionQuery);
  const { data: available } = useQuery(signInMethodsQuery);
  const queries = useQueryClient();
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [key, setKey] = useState('');
  const [tenant, setTenant] = useState('');
  const requested = search.get('return_to');
  const returnTo = isLocal(requested) ? requested : '/deployments';
  const onSuccess = () => {
    chooseTenant(null);
    return queries.resetQueries({ queryKey: sessionKey });
  };
  const signingIn = useMutation({
    mutationFn: () => signIn({ api_key: key.trim(), ...(tenant && { tenant_id: tenant.trim() }) }),
    onSuccess,
  });
  const { mutate: redeem, ...redeeming } = useMutation({ mutationFn: signInByLink, onSuccess });
  useEffect(() => {
    document.title = 'Sign in · Slipway';
  }, []);
  const isSignedOut = session === null;
  const redeemed = useRef('');
  useEffect(() => {
    const token = linkToken(hash);
    if (!isSignedOut || token === null || redeemed.current === token) return;
    redeemed.current = token;
    // Removes it from the history.
    void navigate('/sign-in', { replace: true });
    redeem(token);
  }, [hash, isSignedOut, navigate, redeem]);
  if (session) return <Navigate to={returnTo} replace />;
  const linkFailed = redeeming.error instanceof ApiError && redeeming.error.status < 500;
  const refused = REFUSALS[linkFailed ? 'link' : (search.get('error') ?? '')];
  const { error } = signingIn;
  const needsTenant = error instanceof ApiError && /workspace specification/.test(error.message);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signingIn.mutate();
  };
  return (
    <main className={classes.page}>
      <div className={classes.box}>
        <img src="/mark.svg" alt="" width={36} height={36} />
        <Title order={1}>Sign in to Slipway</Title>
        {refused && (
          <Alert color="red" variant="light" role="alert">
            {refused}
          </Alert>
        )}
        {redeeming.error && !linkFailed && <ErrorNotice error={redeeming.error} title="Could not sign in" />}
        {available?.methods.includes('oidc') && (
          <>
            <Button
              component="a"
              size="sm"
              href={`/v2/sign-in/oidc?${new URLSearchParams({ return_to: returnTo })}`}
            >
              Sign in with your organisation
            </Button>
            <Divider label="or" />
          </>
        )}
        <form onSubmit={submit}>
          <Stack gap="sm">
            <PasswordInput
              size="sm"
              label="API key"
              name="api_key"
              autoComplete="current-password"
              placeholder="slp_…"
              required
              withAsterisk={false}
              autoFocus
              value={key}
              error={error instanceof ApiError && error.status === 401 && 'Invalid or revoked API key'}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            {(needsTenant || tenant) && (
              <TextInput
                label="Workspace"
                description="This key works for every workspace. Enter a workspace id."
                name="tenant"
                required
                value={tenant}
                onChange={(event) => setTenant(event.currentTarget.value)}
              />
            )}
            {error && !needsTenant && !(error instanceof ApiError && error.status === 401) && (
              <ErrorNotice error={error} title="Could not sign in" />
            )}
            <Button type="submit" size="sm" loading={signingIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
        <div>
          <Text size="sm" c="dimmed" mb={6}>
            The platform stores a key in its data directory on first start:
          </Text>
          <Command text="cat .slipway/api-key" />
        </div>
        <Text size="sm" c="dimmed">
          Everything in the console is available through the API:{' '}
          <Anchor href="/docs" underline="always">
            API documentation
          </Anchor>
        </Text>
      </div>
    </main>
  );
}
