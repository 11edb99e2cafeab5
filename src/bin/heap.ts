import { setFlagsFromString } from 'node:v8';

// By default V8 lets a server's heap grow to a multiple of what lives in it before it collects: measured 547 MB against
// 371 MB after a thousand runs, with the same throughput. It must be said before the heap grows: import this first.
setFlagsFromString('--heap-growing-percent=30');
