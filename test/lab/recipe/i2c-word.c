/*
 * i2c-word.c: i2c-word BUS ADDRESS REGISTER [WORD]: writes a word (low byte first on the bus) to a register of a
 * chip on I2C, or prints that of the register, also if a driver uses the chip: i2c-stub has no other way to set
 * what a sensor measures, and to see what an output is.
 */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	union i2c_smbus_data data;
	struct i2c_smbus_ioctl_data call = { .size = I2C_SMBUS_WORD_DATA, .data = &data };
	char path[32];
	int file;

	if (argc != 4 && argc != 5)
		return 2;
	snprintf(path, sizeof path, "/dev/i2c-%d", atoi(argv[1]));
	call.command = strtoul(argv[3], NULL, 0);
	call.read_write = argc == 5 ? I2C_SMBUS_WRITE : I2C_SMBUS_READ;
	data.word = argc == 5 ? strtoul(argv[4], NULL, 0) : 0;
	file = open(path, O_RDWR);
	if (file < 0 || ioctl(file, I2C_SLAVE_FORCE, strtoul(argv[2], NULL, 0)) < 0 ||
	    ioctl(file, I2C_SMBUS, &call) < 0) {
		perror(path);
		return 1;
	}
	if (argc == 4)
		printf("%u\n", data.word);
	return 0;
}
