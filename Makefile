# Everything is installed inside this folder: .venv (Python), .build (Maven's repository, caches, Spark's own files).
# Paths are relative, because make cannot hold a path with a space.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

PYTHON ?= python3
MVN ?= mvn
export PYTHON MVN
PYTEST_ARGS ?=
ROWS ?= 4000000
PARTS ?= jumps slides papers growth stream keys aggregates cql profile record

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"$$/\1/p' python/spark_csql/version.py)
JAR := jvm/target/spark-csql_2.13-$(VERSION).jar
QUICK_FILES := jvm/target/test-classes/org/sparkcsql/QuickLocalFileSystem.class
WHEEL := dist/spark_csql-$(VERSION)-py3-none-any.whl
VENV := .venv/.installed
BENCH := .venv/.bench
PY := .venv/bin/python

# Folders are listed too: a deleted file changes only its folder.
JVM_MAIN := pom.xml $(shell find jvm/src/main)
PY_MAIN := pyproject.toml README.md LICENSE $(shell find python -name '*.py' -o -name py.typed)

# Temporary files, caches and Spark's own files stay in .build.
export TMPDIR := $(CURDIR)/.build/tmp
export PIP_CACHE_DIR := $(CURDIR)/.build/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export SPARK_LOCAL_DIRS := $(CURDIR)/.build/tmp
export SPARK_LAUNCHER_OPTS := -XX:-UsePerfData
export SPARK_SUBMIT_OPTS := -XX:-UsePerfData "-Djava.io.tmpdir=$(CURDIR)/.build/tmp" \
  "-Dderby.system.home=$(CURDIR)/.build/derby" \
  "-Dspark.sql.warehouse.dir=$(CURDIR)/.build/spark-warehouse" \
  "-Dspark.jars.ivy=$(CURDIR)/.build/ivy"

# The Scala compiler's plugin fails if its temporary folder has a space in its name: then it takes the system's.
space := $(subst ,, )
MVN_TMP := $(if $(findstring $(space),$(CURDIR)),,-Djava.io.tmpdir=$(CURDIR)/.build/tmp)
RUN_MVN := mkdir -p .build/tmp; \
  MAVEN_OPTS="$${MAVEN_OPTS:-} -Xmx1500m -Xss8m -XX:-UsePerfData $(MVN_TMP)" \
  $(MVN) -q -B "-Dmaven.repo.local=$(CURDIR)/.build/m2"

# Two processes, each with a Spark session of its own: most of a small query's time is spent in one thread of its driver.
PYTEST := $(PY) -m pytest -n 2 --dist loadgroup --no-loadscope-reorder

# Tests run thousands of small queries, most of them once: compiling them well does not pay. Some of them start
# drivers of their own, which find the classes of Spark in an archive if this Java could make one.
CLASSES := .build/spark-classes.jsa
QUICK_JVM := if test -f $(CLASSES); then \
  SPARK_SUBMIT_OPTS="$$SPARK_SUBMIT_OPTS \"-XX:SharedArchiveFile=$(CURDIR)/$(CLASSES)\" -Xlog:cds*=off"; fi; \
  SPARK_SUBMIT_OPTS="$$SPARK_SUBMIT_OPTS -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"

say = @printf '\033[1m==> %s\033[0m\n' "$(1)"

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 18

.PHONY: demo
demo: $(VENV) $(JAR) ## Set up, then run the papers' queries on made-up data, and one on a live stream
	@$(PY) examples/demo.py

.PHONY: test
test: $(VENV) $(CLASSES) ## Set up, then run all tests: Scala, then Python
	$(call say,Scala tests (compiles what changed))
	@tools/need java maven
	@status=0; \
	{ $(RUN_MVN) package && touch $(JAR); } || status=$$?; \
	printf '\033[1m==> Python tests\033[0m\n'; \
	if test -f $(JAR); then $(QUICK_JVM); $(PYTEST) $(PYTEST_ARGS) || status=$$?; \
	else echo "The Python tests did not run: there is no jar." >&2; fi; \
	exit $$status

.PHONY: test-long
test-long: $(VENV) $(CLASSES) $(BENCH) $(WHEEL) $(QUICK_FILES) ## Run the tests that take minutes, and the quick benchmark
	$(call say,Long tests)
	@$(QUICK_JVM); $(PYTEST) -m long $(PYTEST_ARGS)
	$(call say,Quick benchmark)
	@$(PY) -m bench quick

.PHONY: build
build: $(WHEEL) ## Build the jar (jvm/target) and the wheel that carries it (dist)
	@ls -l $(JAR) $(WHEEL)

.PHONY: bench
bench: $(BENCH) $(JAR) $(QUICK_FILES) ## Compare with other engines on this machine; ROWS= and PARTS= say how much of it
	$(call say,Benchmark of $(ROWS) rows: $(PARTS))
	@$(PY) -m bench $(PARTS) report --rows $(ROWS)

.PHONY: bench-quick
bench-quick: $(BENCH) $(JAR) $(QUICK_FILES) ## Check in three minutes that no ratio fell below half of the recorded one
	$(call say,Quick benchmark)
	@$(PY) -m bench quick

.PHONY: check
check: $(VENV) ## Check format, lint, types and versions; changes nothing
	@tools/need java maven
	$(call say,scalafmt)
	@$(RUN_MVN) spotless:check
	$(call say,ruff)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	$(call say,mypy)
	@$(PY) -m mypy
	$(call say,versions and docs/errors.md)
	@$(PY) tools/check_versions.py
	@$(PY) tools/error_docs.py --check

.PHONY: fmt
fmt: $(VENV) ## Format Scala and Python, renew docs/errors.md
	@tools/need java maven
	$(call say,scalafmt and ruff)
	@$(RUN_MVN) spotless:apply
	@$(PY) -m ruff check --fix --exit-zero --quiet .
	@$(PY) -m ruff format --quiet .
	@$(PY) tools/error_docs.py

.PHONY: clean
clean: ## Remove what was built; keep what was downloaded
	rm -rf dist jvm/target .build/tmp .build/bench .build/derby .build/spark-warehouse \
	  spark-warehouse metastore_db derby.log artifacts .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: clean-all
clean-all: clean ## Remove the downloads as well
	rm -rf .build .venv

$(VENV): pyproject.toml
	@tools/need python
	$(call say,Installing the Python packages into .venv (about a minute on the first run))
	@mkdir -p .build/tmp
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@$(PY) -m pip install -q -e '.[dev]'
	@touch $(VENV)

$(CLASSES): $(VENV) tools/class_archive.py
	@tools/need java
	$(call say,Storing the classes of Spark for the tests)
	@$(PY) tools/class_archive.py $(CLASSES) >.build/classes.log 2>&1 || echo "They start without: see .build/classes.log"

$(BENCH): $(VENV)
	$(call say,Installing the engines to compare with into .venv)
	@$(PY) -m pip install -q -e '.[bench]'
	@touch $(BENCH)

$(JAR): $(JVM_MAIN)
	@tools/need java maven
	$(call say,Compiling the jar (the first run also downloads Spark and takes some minutes))
	@$(RUN_MVN) -DskipTests -Dmaven.test.skip=true package
	@touch $(JAR)

$(QUICK_FILES): jvm/src/test/scala/org/sparkcsql/QuickLocalFileSystem.scala | $(JAR)
	$(call say,Compiling the test classes)
	@$(RUN_MVN) test-compile

$(WHEEL): $(JAR) $(PY_MAIN) $(VENV)
	$(call say,Building the wheel)
	@$(PY) -m build --wheel --no-isolation . >.build/wheel.log 2>&1 || { cat .build/wheel.log >&2; exit 1; }
	@touch $(WHEEL)
