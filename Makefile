# The commands of README.md. Each installs the Debian packages it needs, if they are missing, and builds
# incrementally with CMake presets.
JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
export CTEST_PARALLEL_LEVEL = $(JOBS)

.PHONY: all first demo test bench docs format lint fuzz dev threads coverage mutation soak packages clean install uninstall package

all: packages
	@cmake --preset release >/dev/null
	@cmake --build build --target chi

# The first build takes a few minutes; who waits is told.
first:
	@test -x build/chi || echo 'Installing what is missing and building; then the demo starts.'

demo: first all
	@scripts/demo.sh

test: packages
	@cmake --preset release >/dev/null
	@cmake --build build --target chi check
	@cd build && ctest --output-on-failure

# All tests again under AddressSanitizer and UndefinedBehaviorSanitizer, which make the frames of calls several times as
# large: with as much more stack.
dev: packages
	@cmake --preset dev >/dev/null
	@cmake --build build-dev --target chi check
	@# LeakSanitizer stumbles over thread-local storage of libraries that a run has loaded, if it knows of it.
	@ulimit -S -s 65536; cd build-dev && ASAN_OPTIONS=intercept_tls_get_addr=0 ctest --output-on-failure

# What processes do, under ThreadSanitizer: their bodies are compiled by a second thread.
threads: packages
	@cmake --preset threads >/dev/null
	@cmake --build build-threads --target chi code_test conformance_test papers_test sim_test
	@scripts/threads.sh build-threads

bench:
	@scripts/install_packages.sh bench
	@cmake --preset release -DCHI_BENCH=ON >/dev/null
	@cmake --build build --target benches
	@bench/run.sh build

docs: all
	@scripts/install_packages.sh docs
	@scripts/build_docs.sh

# libFuzzer over each of FUZZ_TARGETS (tests/fuzz/targets.h), FUZZ_SECONDS long, from the corpora in the tree.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= frontend results statements
fuzz:
	@scripts/install_packages.sh fuzz
	@cmake --preset clang >/dev/null
	@cmake --build build-clang --target fuzzers
	@scripts/fuzz.sh build-clang $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# Lines and branches of src/ that the tests reach.
coverage: packages
	@scripts/install_packages.sh coverage
	@cmake --preset coverage >/dev/null
	@cmake --build build-coverage --target chi check
	@scripts/coverage.sh build-coverage

# Deliberate mistakes in the core algorithms, each of which the tests must catch (tests/mutation).
mutation: packages
	@tests/mutation/run.py build-mutation/tree --report build-mutation/report.txt

# Random models, mutated models, bad inputs, faults and fuzzers for SOAK_SECONDS; the report is build/soak.md.
SOAK_SECONDS ?= 600
soak: all
	@scripts/install_packages.sh fuzz
	@cmake --preset clang >/dev/null
	@cmake --build build-clang --target fuzzers
	@tests/properties/soak.py build/chi --seconds $(SOAK_SECONDS) --fuzzers build-clang --report build/soak.md --keep build/soak

format:
	@scripts/install_packages.sh lint
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

lint: packages
	@scripts/install_packages.sh lint
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 --dry-run --Werror
	@cmake --preset release -B build-tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
	@scripts/tidy.sh build-tidy

# Installs below PREFIX (and, for who makes packages, below DESTDIR in front of it).
PREFIX ?= /usr/local
install: all
	@cmake --build build --target all
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)
	@cp build/install_manifest.txt build/installed.txt  # `make package` writes the other one, too

# Removes what `make install` has put there, and folders that are empty then.
uninstall:
	@scripts/uninstall.sh build/installed.txt "$(DESTDIR)"

# build/packages/: a Debian package and an archive that runs wherever it is unpacked.
package: all
	@scripts/install_packages.sh package
	@cmake --build build --target all
	@cd build && cpack -B packages >/dev/null
	@ls build/packages/*.deb build/packages/*.tar.gz

packages:
	@scripts/install_packages.sh

clean:
	rm -rf build build-*
