/*
 * init.c: the complete initramfs of the box. Loads the modules in /modules in the order of their names, starts the hardware
 * watchdog, mounts the slot that root= names read-only, and executes the program that init= names there.
 *
 * root= is PARTUUID=xxxxxxxx-NN of a disk with an MBR, or /dev/NAME. Errors are printed on the console with the prefix
 * "box-init:". After a fatal one the machine resets, so that the boot loader counts the attempt.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULES "/modules"
/* A slow USB disk needs 10 s. */
#define ROOT_WAIT_MS 30000
#define ROOT_POLL_MS 50
/* Until systemd takes the watchdog over: time for a check of the data partition (a few seconds per 10 GB). */
#define WATCHDOG_SECONDS 120
/* Time to read the message on a screen. */
#define FATAL_SECONDS 3
#define MBR_ID_OFFSET 440

static void log_error(const char *what)
{
	fprintf(stderr, "box-init: %s: %m\n", what);
}

static void fail(const char *what)
{
	log_error(what);
	sync();
	sleep(FATAL_SECONDS);
	reboot(RB_AUTOBOOT);
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

/* The watchdog keeps running after the close, because no 'V' was written. */
static void start_watchdog(void)
{
	int seconds = WATCHDOG_SECONDS;
	int fd = open("/dev/watchdog", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* The Pi's counts at most 15 s and is then fed by the kernel. */
	if (ioctl(fd, WDIOC_SETTIMEOUT, &seconds) != 0)
		log_error("/dev/watchdog");
	close(fd);
}

static void read_arguments(char *root, char *init, size_t size)
{
	static char line[4096];
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, line, sizeof line - 1) < 0)
		log_error("/proc/cmdline");
	close(fd);
	for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
		if (strncmp(word, "root=", 5) == 0)
			snprintf(root, size, "%s", word + 5);
		if (strncmp(word, "init=", 5) == 0)
			snprintf(init, size, "%s", word + 5);
	}
}

/* The id of the partition NAME as the kernel would print it (xxxxxxxx-NN); 0 if it is not a partition. */
static int partition_id(const char *name, char *id, size_t size)
{
	char path[300], real[600], disk[300];
	uint32_t disk_id = 0;
	int number = 0, fd;
	FILE *file;
	ssize_t length;

	snprintf(path, sizeof path, "/sys/class/block/%s/partition", name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &number) != 1)
		number = 0;
	fclose(file);
	/* .../block/DISK/PARTITION */
	snprintf(path, sizeof path, "/sys/class/block/%s", name);
	length = readlink(path, real, sizeof real - 1);
	if (length < 0)
		return 0;
	real[length] = 0;
	*strrchr(real, '/') = 0;
	snprintf(disk, sizeof disk, "/dev/%.200s", strrchr(real, '/') + 1);
	fd = open(disk, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (pread(fd, &disk_id, sizeof disk_id, MBR_ID_OFFSET) != sizeof disk_id)
		disk_id = 0;
	close(fd);
	snprintf(id, size, "%08x-%02x", disk_id, number);
	return 1;
}

static int find_device(const char *root, char *device, size_t size)
{
	DIR *all;
	struct dirent *entry;
	char id[32];
	int found = 0;

	if (strncmp(root, "PARTUUID=", 9) != 0) {
		snprintf(device, size, "%s", root);
		return 1;
	}
	all = opendir("/sys/class/block");
	while (all && !found && (entry = readdir(all))) {
		if (!partition_id(entry->d_name, id, sizeof id) || strcmp(id, root + 9) != 0)
			continue;
		snprintf(device, size, "/dev/%s", entry->d_name);
		found = 1;
	}
	if (all)
		closedir(all);
	return found;
}

static void mount_root(const char *root)
{
	char device[300];

	for (int waited = 0;; waited += ROOT_POLL_MS) {
		if (find_device(root, device, sizeof device) && mount(device, "/root", "ext4", MS_RDONLY, "") == 0)
			return;
		if (waited >= ROOT_WAIT_MS)
			fail(root);
		usleep(ROOT_POLL_MS * 1000);
	}
}

int main(void)
{
	char root[128] = "", init[128] = "/sbin/init";
	int console;

	mount("devtmpfs", "/dev", "devtmpfs", 0, "");
	mount("proc", "/proc", "proc", 0, "");
	mount("sysfs", "/sys", "sysfs", 0, "");
	read_arguments(root, init, sizeof root);
	load_modules();
	start_watchdog();
	mount_root(root);
	if (chdir("/root") || mount("/dev", "dev", 0, MS_MOVE, 0) || mount("/proc", "proc", 0, MS_MOVE, 0) ||
	    mount("/sys", "sys", 0, MS_MOVE, 0) || mount(".", "/", 0, MS_MOVE, 0) || chroot(".") || chdir("/"))
		fail("changing to the slot");
	console = open("/dev/console", O_RDWR);
	for (int fd = 0; console >= 0 && fd < 3; fd++)
		dup2(console, fd);
	execl(init, init, (char *)0);
	fail(init);
	return 1;
}
