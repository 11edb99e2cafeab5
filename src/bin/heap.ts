import { setFlagsFromString } from 'node:v8';

// By default V8 lets the heap grow to a multiple of the live data before it collects: measured 547 MB against 371 MB
// after a thousand runs, with the same throughput. Takes effect only before the heap grows, so import this first.
setFlagsFromString('--heap-growing-percent=30');
