/** Where the new content of /run is prepared, in a mount namespace of its own. */
export const STAGE = '/run/slipway-view';

/** Shell lines that replace /run, which has sockets of services, by the stage. The resolver's configuration stays. */
export const REPLACE_RUN = `resolv=$(readlink -f /etc/resolv.conf || :)
case $resolv in /run/*)
  mkdir -p "${STAGE}$(dirname "\${resolv#/run}")"
  cp "$resolv" "${STAGE}\${resolv#/run}"
esac
mount --rbind ${STAGE} /run`;
