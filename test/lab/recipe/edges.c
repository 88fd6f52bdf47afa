/*
 * edges.c: edges COUNT PULL_FILE: makes COUNT edges on a line of gpio-sim as fast as a loop can, by writing its pull up
 * and down in turn (up first). Ends with 1 when the kernel did not take one of them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char *const pull[] = { "pull-down", "pull-up" };
	long count = argc == 3 ? atol(argv[1]) : 0;
	int fd = argc == 3 ? open(argv[2], O_WRONLY) : -1;

	if (count < 1 || fd < 0) {
		fprintf(stderr, "usage: edges COUNT PULL_FILE\n");
		return 2;
	}
	for (long i = 1; i <= count; i++) {
		const char *text = pull[i % 2];

		if (pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text)) {
			perror("edges");
			return 1;
		}
	}
	return 0;
}
