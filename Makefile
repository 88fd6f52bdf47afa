# stellwerk: set up, build, run, check, test, bundle. `make help` lists the targets, V=1 shows every command.
#
# Needs Node 20 or newer with npm, make, gcc and g++. The gateway runs on the Node 24 that is installed as a
# package (node_modules/node-linux-*), whose headers the native addons are built against.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
Q := $(if $(filter 1,$(V)),,@)

HOST_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x64,$(shell uname -m)))
ifeq ($(filter $(HOST_ARCH),x64 arm64),)
$(error stellwerk runs on x86_64 and aarch64, not on $(HOST_ARCH))
endif
ARCH ?= $(HOST_ARCH)
PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)

BUNDLE := build/bundle/$(HOST_ARCH)/stellwerk-$(VERSION)-linux-$(HOST_ARCH)

NODE := node_modules/node-linux-$(HOST_ARCH)/bin/node
HEADERS := node_modules/node-linux-$(HOST_ARCH)/include/node
# Programs of the package run with its own Node. npm runs with the machine's Node, because it replaces ours.
# Called by path, because typescript-js also has a `tsc`.
TSC := $(NODE) node_modules/typescript/bin/tsc
WITH := PATH="$(CURDIR)/node_modules/.bin:$$PATH"

# A linked node_modules (in a second worktree) belongs to another checkout and is never changed.
LINKED := $(shell test -L node_modules && echo yes)
SETUP := $(if $(LINKED),,node_modules/.setup node_modules/epoll/build/Release/epoll.node)

SOURCES := $(shell find src drivers test systemd -name '*.ts' 2>/dev/null)
FRONT := $(shell find src/front -name '*.tsx' -o -name '*.css' -o -path '*/static/*' 2>/dev/null)
GPIO_C := $(wildcard drivers/gpio/native/*.c)
KEEPER_C := $(wildcard drivers/gpio/keeper/*.c)
NOTIFY_C := $(wildcard src/service/native/*.c)
SERIAL_C := $(wildcard drivers/serial/native/*.c)
LAUNCHER_C := $(wildcard src/script/native/*.c)
PROGRAMS := stellwerk-keeper stellwerk-script
ADDONS := $(if $(GPIO_C),gpio.node) $(if $(NOTIFY_C),notify.node) $(if $(SERIAL_C),serial.node)

CC_x64 := $(if $(filter x64,$(HOST_ARCH)),gcc,x86_64-linux-gnu-gcc)
CXX_x64 := $(if $(filter x64,$(HOST_ARCH)),g++,x86_64-linux-gnu-g++)
STRIP_x64 := $(if $(filter x64,$(HOST_ARCH)),strip,x86_64-linux-gnu-strip)
CC_arm64 := $(if $(filter arm64,$(HOST_ARCH)),gcc,aarch64-linux-gnu-gcc)
CXX_arm64 := $(if $(filter arm64,$(HOST_ARCH)),g++,aarch64-linux-gnu-g++)
STRIP_arm64 := $(if $(filter arm64,$(HOST_ARCH)),strip,aarch64-linux-gnu-strip)
ADDON_FLAGS := -O2 -fPIC -shared -fvisibility=hidden -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now -I $(HEADERS)
PROGRAM_FLAGS := -O2 -fPIE -pie -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now
C_FLAGS := -std=gnu17 -Wall -Wextra -Werror -DNAPI_VERSION=9
# epoll is third-party code: ignore its warnings.
EPOLL_FLAGS := -std=gnu++20 -w -I node_modules/nan

.PHONY: help setup build run test front-test fuzz campaign release-rollback check lint format law lab lab-box lab-box-short lab-power-cuts lab-deb lab-container proof bench front-bench front-soak soak fleet pictures client bundle deb repository image container release install clean
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 18

setup: $(SETUP) ## install the packages of package-lock.json, build the third-party addon

node_modules/.setup: package.json package-lock.json .npmrc
	$(Q)cmp -s package-lock.json $@ || { echo 'setup: npm ci' && npm ci --loglevel=error; }
	$(Q)test -x $(NODE) || { echo 'setup: npm left out node-linux-$(HOST_ARCH) (is "omit=optional" set?)' >&2; exit 1; }
	$(Q)cp package-lock.json $@

node_modules/epoll/build/Release/epoll.node: build/native/$(HOST_ARCH)/epoll.node
	$(Q)mkdir -p $(@D) && cp --remove-destination $< $@

# $(1): architecture. The headers are the same for both; only the compiler differs.
define addons_for
build/native/$(1)/gpio.node: $(GPIO_C) $(wildcard drivers/gpio/native/*.h) drivers/gpio/keeper/rights.h | $(SETUP)
	@echo 'addon: $$@'
	$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $(ADDON_FLAGS) $(C_FLAGS) -o $$@ $(GPIO_C)
build/native/$(1)/notify.node: $(NOTIFY_C) $(wildcard src/service/native/*.h) | $(SETUP)
	@echo 'addon: $$@'
	$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $(ADDON_FLAGS) $(C_FLAGS) -o $$@ $(NOTIFY_C)
build/native/$(1)/serial.node: $(SERIAL_C) | $(SETUP)
	@echo 'addon: $$@'
	$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $(ADDON_FLAGS) $(C_FLAGS) -o $$@ $(SERIAL_C)
build/native/$(1)/stellwerk-keeper: $(KEEPER_C) $(wildcard drivers/gpio/keeper/*.h)
	@echo 'program: $$@'
	$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $(PROGRAM_FLAGS) $(C_FLAGS) -o $$@ $(KEEPER_C)
build/native/$(1)/stellwerk-script: $(LAUNCHER_C)
	@echo 'program: $$@'
	$(Q)mkdir -p $$(@D) && $$(CC_$(1)) $(PROGRAM_FLAGS) $(C_FLAGS) -o $$@ $(LAUNCHER_C)
build/native/$(1)/epoll.node: $(if $(LINKED),,node_modules/.setup)
	@echo 'addon: $$@'
	$(Q)mkdir -p $$(@D) && $$(CXX_$(1)) $(ADDON_FLAGS) $(EPOLL_FLAGS) -o $$@ node_modules/epoll/src/epoll.cc
endef
$(eval $(call addons_for,x64))
$(eval $(call addons_for,arm64))

# Replace, do not overwrite: a running gateway has mapped the previous file.
build/%.node: build/native/$(HOST_ARCH)/%.node
	$(Q)cp --remove-destination $< $@

build/stellwerk-%: build/native/$(HOST_ARCH)/stellwerk-%
	$(Q)cp --remove-destination $< $@

# The list of sources is an input as well: dist/ is compiled anew when a source was added or deleted, so that no
# deleted one remains there. Otherwise only what has changed is compiled. The list is too long for a command line.
build/sources: FORCE
	$(shell mkdir -p build)$(file >$@.new,$(sort $(SOURCES)))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE

incremental = --incremental --tsBuildInfoFile build/$(1).tsbuildinfo

build/compiled: tsconfig.json build/sources $(SOURCES) | $(SETUP)
	@echo 'build: tsc'
	$(Q)[ $@ -nt build/sources -a -d dist ] || rm -rf dist build/*.tsbuildinfo
	$(Q)$(TSC) -p . $(call incremental,compiled)
	$(Q)touch $@

build/program: build/compiled docs/use/clients/package.md
	$(Q)$(NODE) dist/systemd/build-program.js
	$(Q)$(NODE) dist/systemd/build-client.js
	$(Q)touch $@

build/front: build/compiled src/front/tsconfig.json $(FRONT)
	@echo 'build: tsc -p src/front'
	$(Q)$(TSC) -p src/front $(call incremental,front) && $(TSC) -p src/front/worker $(call incremental,worker)
	$(Q)$(NODE) dist/systemd/build-front.js
	$(Q)touch $@

build: $(SETUP) $(ADDONS:%=build/%) $(PROGRAMS:%=build/%) build/program build/front ## set up, compile, build the addons

run: build ## start a gateway on the simulated board at 127.0.0.1:3777
	@cat docs/start/sample/try.txt
	$(Q)exec bin/stellwerk serve --config docs/start/sample/gateway.yaml --data data

test: build ## all tests that need no hardware and no emulator
	$(Q)$(NODE) dist/test/run.js unit contract story law fuzz

front-test: build ## the pages in a browser (Debian package chromium; skipped if it is not installed)
	$(Q)$(NODE) dist/test/run.js front

fuzz: build ## restarts after random calls, edits and damage; ROUNDS=2000 for a long run
	$(Q)ROUNDS=$(or $(ROUNDS),2000) $(NODE) dist/test/run.js fuzz/start

campaign: build ## gateways that crash at random moments (root, FUSE); POINTS=100 for a short run
	$(Q)POINTS=$(or $(POINTS),10000) $(NODE) dist/test/run.js campaign

release-rollback: build ## a populated gateway is updated from FROM=TAG to this version, and rolled back
	$(Q)rm -rf build/earlier && mkdir -p build/earlier && git archive '$(FROM)' | tar -xC build/earlier
	$(Q)ln -s $(CURDIR)/node_modules build/earlier/node_modules
	$(Q)$(MAKE) -C build/earlier build
	$(Q)TAP_TIMEOUT=300 $(NODE) dist/test/campaign/rollback/release-rollback.js build/earlier/dist

check: build ## types, type-aware lint, format, import rules
	$(Q)$(MAKE) -k lint format law

lint:
	@echo 'check: oxlint'
	$(Q)$(WITH) oxlint --type-aware --deny-warnings

format:
	@echo 'check: prettier'
	$(Q)$(WITH) prettier --check --log-level warn .

law:
	@echo 'check: law'
	$(Q)$(NODE) dist/test/run.js law

lab: build ## tests in the hardware lab: an emulated arm64 machine with kernel devices (root, Debian)
	$(Q)$(MAKE) bundle ARCH=arm64
	$(Q)$(NODE) dist/test/lab/up.js
	$(Q)$(NODE) dist/test/run.js lab

lab-box: build ## the flashable image and its updates on an emulated board (root, Debian; not a part of lab: 30 min and more)
	$(Q)$(MAKE) bundle ARCH=arm64
	$(Q)$(NODE) dist/test/lab/box/up.js
	$(Q)for one in boot first-page replace updates faults pi3; do TAP_TIMEOUT=7200 $(NODE) dist/test/lab/box/$$one.js || exit 1; done

lab-box-short: build ## the image of this architecture: built twice and compared, started, updated, rolled back (root, Debian; 11 min)
	@# The boot script needs no image: it is tested while that is built.
	$(Q)TAP_TIMEOUT=600 $(NODE) dist/test/lab/box/boot-script.js & script=$$!; \
	  { $(MAKE) bundle ARCH=$(HOST_ARCH) && BOARD=generic-$(HOST_ARCH) $(NODE) dist/test/lab/box/up.js; }; built=$$?; \
	  wait $$script && exit $$built
	$(Q)BOARD=generic-$(HOST_ARCH) TAP_TIMEOUT=1800 $(NODE) dist/test/lab/box/short.js

lab-power-cuts: build ## power cuts of the emulated box at random moments of its life: POINTS=300 (root, Debian; 1 h and more)
	$(Q)$(MAKE) bundle ARCH=arm64
	$(Q)$(NODE) dist/test/lab/box/up.js
	$(Q)POINTS=$(or $(POINTS),300) TAP_TIMEOUT=36000 $(NODE) dist/test/lab/box/power-cuts.js

lab-deb: build ## the Debian package on the emulated machine: install, update, rollback, removal; SUITE=trixie for Debian 13 (root, Debian; 20 min)
	$(Q)$(MAKE) bundle ARCH=arm64
	$(Q)$(NODE) dist/test/lab/up.js
	$(Q)TAP_TIMEOUT=3600 $(NODE) dist/test/lab/box/deb.js

lab-container: container ## the container image, started by podman
	$(Q)TAP_TIMEOUT=600 $(NODE) dist/test/lab/box/container.js

proof: build ## outputs against their policies in the lab, 20 rounds per event; writes tables in docs/
	$(Q)$(MAKE) bundle ARCH=arm64
	$(Q)$(NODE) dist/test/lab/up.js
	$(Q)rm -rf build/outputs
	$(Q)ROUNDS=20 $(NODE) dist/test/run.js lab/outputs
	$(Q)$(NODE) dist/test/lab/outputs/table.js

bench: build ## each figure as a ratio to a baseline from the same run (BENCH=short)
	$(Q)BENCH=$(BENCH) $(NODE) dist/test/bench/main.js

front-bench: build ## the pages in a browser: frames, long tasks, heap, start (FRONT_BENCH=room,tree,start SECONDS=60 ROUNDS=2)
	$(Q)FRONT_BENCH=$(FRONT_BENCH) $(NODE) dist/test/bench/front/main.js

front-soak: build ## the pages in a browser under changes and lost connections (MINUTES=30)
	$(Q)MINUTES=$(or $(MINUTES),30) $(NODE) dist/test/bench/front/soak.js

fleet: build ## 50 gateways at one broker: births, commands, restarts, a partition (docs/use/fleet.md)
	$(Q)$(NODE) dist/test/bench/fleet/main.js

soak: build ## the gateway for hours under load: memory, descriptors, bytes written; HOURS=24 WRITE=1 (docs/reference/soak.md)
	$(Q)HOURS=$(or $(HOURS),24) WRITE=$(WRITE) $(NODE) dist/test/bench/soak/main.js

pictures: build ## the pictures of the pages in docs/images (Debian package chromium)
	$(Q)TZ=Europe/Berlin $(NODE) dist/test/tools/pictures/take-pictures.js

client: build ## the typed client as a package: build/stellwerk-client-VERSION.tgz
	$(Q)cd build && npm pack --silent --offline $(CURDIR)/dist/client

bundle: build $(ADDONS:%=build/native/$(ARCH)/%) build/native/$(ARCH)/epoll.node $(PROGRAMS:%=build/native/$(ARCH)/%) ## a tarball for a box without compiler and npm: ARCH=x64|arm64
	$(Q)STRIP=$(STRIP_$(ARCH)) $(NODE) dist/systemd/build-bundle.js $(ARCH)

deb: bundle ## the Debian package of the bundle: ARCH=x64|arm64 (dpkg-deb)
	$(Q)box/deb/build.sh build/stellwerk-$(VERSION)-linux-$(ARCH).tar.gz build/deb

repository: ## a signed apt repository of all packages in build/deb: SIGNING_KEY=ID (apt-ftparchive, gpg)
	$(Q)box/apt/build-repository.sh build/deb build/repository

image: IMAGE_ARCH = $(if $(filter generic-x64,$(BOARD)),x64,arm64)
image: ## the image of a box and its signed update: BOARD=generic-arm64|generic-x64|rpi KEYS=DIR (root, Debian; docs/box/build-your-own-image.md)
	$(Q)$(MAKE) bundle ARCH=$(IMAGE_ARCH)
	$(Q)box/image/build.sh '$(BOARD)' build/stellwerk-$(VERSION)-linux-$(IMAGE_ARCH).tar.gz '$(KEYS)' build/image

container: build ## the gateway in a container, on the simulated board: stellwerk:VERSION (podman, mmdebstrap; docs/box/container.md)
	$(Q)$(MAKE) bundle ARCH=$(HOST_ARCH)
	$(Q)box/container/build.sh build/stellwerk-$(VERSION)-linux-$(HOST_ARCH).tar.gz stellwerk:$(VERSION) build/container

release: build ## check, build and tag a version: bundles, checksums and bill of materials in build/release/
	$(Q)SECURITY_CONTACT='$(SECURITY_CONTACT)' $(NODE) dist/systemd/release.js check
	$(Q)$(MAKE) check test
	$(Q)$(MAKE) bundle ARCH=x64
	$(Q)$(MAKE) bundle ARCH=arm64
	$(Q)$(MAKE) client
	$(Q)SECURITY_CONTACT='$(SECURITY_CONTACT)' $(NODE) dist/systemd/release.js collect
	$(Q)git tag -a -m 'stellwerk $(VERSION)' v$(VERSION)

install: ## install the bundle for this machine: PREFIX=/usr/local DESTDIR=
	$(Q)test -d $(BUNDLE) || $(MAKE) bundle ARCH=$(HOST_ARCH)
	$(Q)$(BUNDLE)/install.sh --prefix '$(PREFIX)' --destdir '$(DESTDIR)'

clean: ## remove build outputs (node_modules stays)
	$(Q)rm -rf build dist .tap
