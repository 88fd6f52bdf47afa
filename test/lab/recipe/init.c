/*
 * init.c: the complete initramfs of the lab machine. Loads the modules in /modules in the order of their
 * names (those that the stock kernel needs to reach its disk), mounts the disk that root= names and executes
 * its /sbin/init. Debian's own initramfs does the same and takes many times as long to unpack under
 * emulation.
 *
 * Errors are printed on the console with the prefix "lab-init:", for which the test watches.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULES "/modules"
#define ROOT_WAIT_MS 30000
#define ROOT_POLL_MS 50

static void log_error(const char *what)
{
	fprintf(stderr, "lab-init: %s: %m\n", what);
}

/* There is nothing to return to: if PID 1 exits, the kernel panics, which hides the message above it. */
static void fail(const char *what)
{
	log_error(what);
	for (;;)
		pause();
}

static void load_modules(void)
{
	struct dirent **names;
	int count = scandir(MODULES, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char path[300];
		int fd;

		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", MODULES, names[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) != 0)
			log_error(path);
		close(fd);
	}
}

static void root_device(char *device, size_t size)
{
	static char line[4096];
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	char *word;

	snprintf(device, size, "/dev/vda");
	if (fd < 0 || read(fd, line, sizeof line - 1) < 0)
		log_error("/proc/cmdline");
	close(fd);
	for (word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
		if (strncmp(word, "root=", 5) == 0)
			snprintf(device, size, "%s", word + 5);
}

static void mount_root(const char *device)
{
	for (int waited = 0; mount(device, "/root", "ext4", 0, "") != 0; waited += ROOT_POLL_MS) {
		if (waited >= ROOT_WAIT_MS)
			fail(device);
		usleep(ROOT_POLL_MS * 1000);
	}
}

int main(void)
{
	char device[64];
	int console;

	mount("devtmpfs", "/dev", "devtmpfs", 0, "");
	mount("proc", "/proc", "proc", 0, "");
	mount("sysfs", "/sys", "sysfs", 0, "");
	root_device(device, sizeof device);
	load_modules();
	mount_root(device);
	umount("/proc");
	umount("/sys");
	if (chdir("/root") || mount("/dev", "dev", 0, MS_MOVE, 0) || mount(".", "/", 0, MS_MOVE, 0) || chroot(".") || chdir("/"))
		fail("changing to the disk");
	console = open("/dev/console", O_RDWR);
	for (int fd = 0; console >= 0 && fd < 3; fd++)
		dup2(console, fd);
	execl("/sbin/init", "/sbin/init", (char *)0);
	fail("/sbin/init");
	return 1;
}
