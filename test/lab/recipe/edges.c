/*
 * edges.c: edges COUNT PULL_FILE [PER_SECOND [WITHIN_S]]: makes COUNT edges on a line of gpio-sim by setting its
 * pull up and down alternately (up first): as fast as a loop can, or PER_SECOND, each when it is due by
 * CLOCK_MONOTONIC, or immediately if that time has passed. Stops after WITHIN_S seconds. Prints the number of
 * edges, the milliseconds that it took, and the maximum delay of an edge. Exits with 1 if the kernel rejected one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ll

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void wait_until(long long ns)
{
	struct timespec due = { .tv_sec = ns / SECOND, .tv_nsec = ns % SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0)
		;
}

int main(int argc, char **argv)
{
	static const char *const pull[] = { "pull-down", "pull-up" };
	long count = argc >= 3 && argc <= 5 ? atol(argv[1]) : 0;
	long per_s = argc >= 4 ? atol(argv[3]) : 0, within_s = argc == 5 ? atol(argv[4]) : 0, made = 0;
	int fd = count > 0 && per_s >= 0 ? open(argv[2], O_WRONLY) : -1;
	long long start = now(), late = 0;

	if (fd < 0) {
		fprintf(stderr, "usage: edges COUNT PULL_FILE [PER_SECOND [WITHIN_S]]\n");
		return 2;
	}
	for (long i = 1; i <= count && (within_s <= 0 || now() - start < within_s * SECOND); i++) {
		const char *text = pull[i % 2];
		long long due = per_s > 0 ? start + i * SECOND / per_s : 0;
		long long behind = per_s > 0 ? now() - due : 0;

		if (behind < 0)
			wait_until(due);
		else if (behind > late)
			late = behind;
		if (pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text)) {
			perror("edges");
			return 1;
		}
		made = i;
	}
	printf("%ld edges in %lld ms, at most %lld ms late\n", made, (now() - start) / 1000000, late / 1000000);
	return 0;
}
