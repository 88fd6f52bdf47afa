// SPDX-License-Identifier: GPL-2.0
/*
 * w1-sim: a 1-Wire bus of the kernel with devices that are simulated bit by bit: a DS18B20, a DS2406, a
 * DS2408 and a DS2413. The kernel's own core and drivers use them.
 *
 * /sys/devices/w1-sim/set takes `ADDRESS WORD NUMBER`: `raw` (sixteenths of a degree to measure), `weak` (its
 * supply breaks down when it measures), `damaged` (a transmitted bit is inverted), `pulled` (pins that are
 * pulled down from outside), `silent` (it is disconnected). /sys/devices/w1-sim/state has a line for each:
 * address, pins that conduct, and the number of writes to those.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/w1.h>

enum listening { ROM_COMMAND, MATCHING, SEARCHING, SELECTED, DEAF };

struct slave {
	u8 family;
	u64 id;
	u8 rom[8];
	/* From outside. */
	int raw, weak, damaged, pulled, silent;
	/* On the wire. */
	enum listening listening;
	bool resumes; /* it was the last one selected */
	int place, phase; /* in the ROM, while it is matched or searched */
	u8 shift, bits; /* the byte being received */
	u8 heard[4], count; /* since it was selected */
	u8 said[16];
	int length, sent; /* position in the transmitted bytes and bits */
	/* internal state */
	u8 pad[8], latch, control;
	bool is_armed; /* DS2406: a received byte takes effect with the next one */
	unsigned int writes;
};

static struct slave slaves[] = {
	{ .family = 0x28, .id = 0x0000075565adULL },
	{ .family = 0x12, .id = 0x000000c0ffeeULL },
	{ .family = 0x29, .id = 0x000000d0d0d0ULL },
	{ .family = 0x3a, .id = 0x000000123456ULL },
};
/* A DS18B20 after power-on that has not measured. */
static const u8 fresh[8] = { 0x50, 0x05, 0x4b, 0x46, 0x7f, 0xff, 0x0c, 0x10 };
static DEFINE_SPINLOCK(lock);
static struct device *root;

static u16 crc16_of(const u8 *bytes, int length)
{
	u16 sum = 0;

	for (; length > 0; length--, bytes++)
		for (int bit = 0; bit < 8; bit++) {
			bool is_odd = ((*bytes >> bit) ^ sum) & 1;

			sum = (sum >> 1) ^ (is_odd ? 0xa001 : 0);
		}
	return sum;
}

static u8 all_pins(const struct slave *s)
{
	return s->family == 0x29 ? 0xff : 0x03;
}

static void say(struct slave *s, const u8 *bytes, int length)
{
	memcpy(s->said, bytes, length);
	s->length = length;
	s->sent = 0;
}

static void write_latch(struct slave *s, u8 latch)
{
	s->latch = latch & all_pins(s);
	s->writes++;
}

/* A switch's second command byte is the complement of the first, and it confirms that. */
static void write_pins(struct slave *s)
{
	u8 answer = 0xff;

	if (s->count != 3)
		return;
	if ((u8)~s->heard[1] == s->heard[2]) {
		write_latch(s, s->heard[1]);
		answer = 0xaa;
	}
	say(s, &answer, 1);
}

static void thermometer(struct slave *s)
{
	u8 answer[9];

	switch (s->heard[0]) {
	case 0x44: /* measure */
		if (s->weak) {
			memcpy(s->pad, fresh, 8);
			return;
		}
		s->pad[0] = s->raw & 0xff;
		s->pad[1] = (s->raw >> 8) & 0xff;
		s->pad[6] = 0x10 - (s->raw & 0xf);
		return;
	case 0xbe: /* read */
		memcpy(answer, s->pad, 8);
		answer[8] = w1_calc_crc8(answer, 8);
		answer[0] ^= s->damaged;
		say(s, answer, 9);
		return;
	case 0x4e: /* write thresholds and resolution */
		if (s->count > 1)
			s->pad[s->count] = s->heard[s->count - 1];
	}
}

static void ds2406(struct slave *s)
{
	u8 frame[6];

	if (s->count == 3 && s->heard[0] == 0xaa && s->heard[1] == 7) { /* read status */
		memcpy(frame, s->heard, 3);
		frame[3] = (s->latch << 5) | 0x1f;
	} else if (s->count == 4 && s->heard[0] == 0x55 && s->heard[1] == 7) { /* write status */
		memcpy(frame, s->heard, 4);
		s->is_armed = true;
	} else {
		return;
	}
	frame[4] = ~crc16_of(frame, 4) & 0xff;
	frame[5] = (~crc16_of(frame, 4) >> 8) & 0xff;
	if (s->is_armed)
		say(s, frame + 4, 2);
	else
		say(s, frame + 3, 3);
}

static void ds2408(struct slave *s)
{
	u8 registers[8] = { s->latch & ~s->pulled, s->latch, 0, 0, 0, s->control, 0xff, 0xff };
	u8 done = 0xaa;

	switch (s->heard[0]) {
	case 0xf0: /* read registers */
		if (s->count == 3 && s->heard[1] >= 0x88 && s->heard[1] <= 0x8f)
			say(s, registers + s->heard[1] - 0x88, 0x90 - s->heard[1]);
		return;
	case 0x5a:
		write_pins(s);
		return;
	case 0xcc: /* write registers: of the control register two bits, and one that can only be cleared */
		if (s->count == 4 && s->heard[1] == 0x8d)
			s->control = 0x80 | (s->heard[3] & 0x05) | (s->control & s->heard[3] & 0x08);
		return;
	case 0xc3:
		say(s, &done, 1);
	}
}

static void ds2413(struct slave *s)
{
	u8 level = s->latch & ~s->pulled, half, state;

	half = (level & 1) | (s->latch & 1) << 1 | (level & 2) << 1 | (s->latch & 2) << 2;
	state = half | (~half & 0xf) << 4;
	if (s->heard[0] == 0xf5)
		say(s, &state, 1);
	else if (s->heard[0] == 0x5a)
		write_pins(s);
}

static void function_byte(struct slave *s, u8 byte)
{
	if (s->is_armed) {
		if (byte == 0xff)
			write_latch(s, s->heard[3] >> 5);
		s->is_armed = false;
		s->listening = DEAF;
		return;
	}
	if (s->count < sizeof(s->heard))
		s->heard[s->count++] = byte;
	if (s->family == 0x28)
		thermometer(s);
	else if (s->family == 0x12)
		ds2406(s);
	else if (s->family == 0x29)
		ds2408(s);
	else
		ds2413(s);
}

static void select_it(struct slave *s)
{
	s->listening = SELECTED;
	s->count = s->bits = 0;
}

static void rom_command(struct slave *s, u8 command)
{
	bool resumed = s->resumes;

	s->place = s->phase = 0;
	switch (command) {
	case W1_SEARCH:
		s->listening = SEARCHING;
		break;
	case W1_MATCH_ROM:
		s->listening = MATCHING;
		break;
	case W1_SKIP_ROM:
		select_it(s);
		break;
	case W1_RESUME_CMD:
		if (resumed)
			select_it(s);
		else
			s->listening = DEAF;
		return;
	default:
		s->listening = DEAF;
	}
	s->resumes = false;
}

static u8 rom_bit(const struct slave *s)
{
	return (s->rom[s->place / 8] >> (s->place % 8)) & 1;
}

/* The master has sent a bit of the address: devices with another one leave the transaction. */
static void rom_step(struct slave *s, u8 bit)
{
	if (bit != rom_bit(s)) {
		s->listening = DEAF;
	} else if (++s->place == 64) {
		s->resumes = true;
		select_it(s);
	}
}

/* One time slot of one device: the master sends a bit, or a 1 to read one; returns the resulting level. */
static u8 slot(struct slave *s, u8 bit)
{
	u8 own;

	switch (s->listening) {
	case DEAF:
		return 1;
	case MATCHING:
		rom_step(s, bit);
		return 1;
	case SEARCHING:
		own = rom_bit(s);
		if (s->phase == 2)
			rom_step(s, bit);
		s->phase = (s->phase + 1) % 3;
		return s->phase == 1 ? own : s->phase == 2 ? !own : 1;
	default:
		break;
	}
	if (s->listening == SELECTED && s->sent < s->length * 8) {
		own = (s->said[s->sent / 8] >> (s->sent % 8)) & 1;
		s->sent++;
		return own;
	}
	s->shift = (s->shift >> 1) | (bit ? 0x80 : 0);
	if (++s->bits == 8) {
		s->bits = 0;
		if (s->listening == ROM_COMMAND)
			rom_command(s, s->shift);
		else
			function_byte(s, s->shift);
	}
	return 1;
}

static u8 touch_bit(void *data, u8 bit)
{
	u8 wire = bit;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	for (struct slave *s = slaves; s < slaves + ARRAY_SIZE(slaves); s++)
		if (!s->silent)
			wire &= slot(s, bit);
	spin_unlock_irqrestore(&lock, flags);
	return wire;
}

static u8 reset_bus(void *data)
{
	u8 nobody = 1;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	for (struct slave *s = slaves; s < slaves + ARRAY_SIZE(slaves); s++) {
		s->listening = ROM_COMMAND;
		s->bits = s->length = s->sent = 0;
		s->is_armed = false;
		if (!s->silent)
			nobody = 0;
	}
	spin_unlock_irqrestore(&lock, flags);
	return nobody;
}

static struct w1_bus_master master = { .touch_bit = touch_bit, .reset_bus = reset_bus };

static struct slave *slave_of(const char *address)
{
	char name[16];

	for (struct slave *s = slaves; s < slaves + ARRAY_SIZE(slaves); s++) {
		snprintf(name, sizeof(name), "%02x-%012llx", s->family, s->id);
		if (strcmp(name, address) == 0)
			return s;
	}
	return NULL;
}

static ssize_t set_store(struct device *dev, struct device_attribute *attr, const char *text, size_t size)
{
	char address[16], word[16];
	int number, *place;
	struct slave *s;
	unsigned long flags;

	if (sscanf(text, "%15s %15s %d", address, word, &number) != 3)
		return -EINVAL;
	s = slave_of(address);
	if (!s)
		return -ENODEV;
	place = strcmp(word, "raw") == 0 ? &s->raw :
		strcmp(word, "weak") == 0 ? &s->weak :
		strcmp(word, "damaged") == 0 ? &s->damaged :
		strcmp(word, "pulled") == 0 ? &s->pulled :
		strcmp(word, "silent") == 0 ? &s->silent : NULL;
	if (!place)
		return -EINVAL;
	spin_lock_irqsave(&lock, flags);
	*place = number;
	spin_unlock_irqrestore(&lock, flags);
	return size;
}
static DEVICE_ATTR_WO(set);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *text)
{
	int length = 0;

	for (struct slave *s = slaves; s < slaves + ARRAY_SIZE(slaves); s++)
		length += sysfs_emit_at(text, length, "%02x-%012llx %u %u\n", s->family, s->id,
					(u8)~s->latch & all_pins(s), s->writes);
	return length;
}
static DEVICE_ATTR_RO(state);

static struct attribute *sim_attrs[] = { &dev_attr_set.attr, &dev_attr_state.attr, NULL };
ATTRIBUTE_GROUPS(sim);

static int __init sim_init(void)
{
	int error;

	for (struct slave *s = slaves; s < slaves + ARRAY_SIZE(slaves); s++) {
		s->rom[0] = s->family;
		for (int n = 0; n < 6; n++)
			s->rom[n + 1] = (s->id >> (8 * n)) & 0xff;
		s->rom[7] = w1_calc_crc8(s->rom, 7);
		memcpy(s->pad, fresh, 8);
		s->latch = all_pins(s);
		s->control = 0x88;
	}
	root = root_device_register("w1-sim");
	if (IS_ERR(root))
		return PTR_ERR(root);
	error = device_add_groups(root, sim_groups);
	if (!error)
		error = w1_add_master_device(&master);
	if (error)
		root_device_unregister(root);
	return error;
}

static void __exit sim_exit(void)
{
	w1_remove_master_device(&master);
	device_remove_groups(root, sim_groups);
	root_device_unregister(root);
}

module_init(sim_init);
module_exit(sim_exit);
MODULE_DESCRIPTION("A simulated 1-Wire bus");
MODULE_LICENSE("GPL");
