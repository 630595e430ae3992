/* CRC-32C (Castagnoli, Braeuer and Herrmann 1993: polynomial 0x1EDC6F41), as in RFC 3720: what records are checked by.
 */
#ifndef CRD_STORE_CHECKSUM_H
#define CRD_STORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of size bytes, going on from the sum of those before (0: from the beginning). */
uint32_t crd_checksum(uint32_t before, const void *bytes, size_t size);

/* The same without the processor's own instruction, for tests. */
uint32_t crd_checksum_by_table(uint32_t before, const void *bytes, size_t size);

#endif
