/*
 * libsml.c: libsml FILE COUNT: reads SML telegrams as the programs of libsml do, prints their number and the
 * processor time in microseconds. At the end of a file libsml waits for more, so it stops after COUNT.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sml/sml_file.h>
#include <sml/sml_transport.h>

/* Each end of a transport file has 8 bytes that are not SML: escape and version, escape and checksum. */
enum { FRAME = 8, LIMIT = 8192 };

int main(int argc, char **argv)
{
	unsigned char bytes[LIMIT];
	unsigned long count = 0, limit = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	size_t length;
	int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;

	if (file < 0)
		return 2;
	while (count < limit && (length = sml_transport_read(file, bytes, LIMIT)) > 2 * FRAME && length <= LIMIT) {
		sml_file *parsed = sml_file_parse(bytes + FRAME, length - 2 * FRAME);

		count += parsed->messages_len > 0;
		sml_file_free(parsed);
	}
	printf("%lu %.0f\n", count, (double)clock() * 1e6 / CLOCKS_PER_SEC);
	return 0;
}
