import { request } from 'node:http';

/** The status of a GET with this Host header, which `fetch` does not allow. */
export const statusUnder = (host: string, address: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(address, { headers: { host } })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
