// SPDX-License-Identifier: GPL-2.0
/*
 * The terminal of "perfgrp top": set it up, handle its events, and restore it however the process
 * ends. Signals are read from a signalfd, so that none of this runs in a signal handler; only a
 * crash restores the terminal from a handler.
 */
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "ending.h"
#include "top.h"

/* Last, because it defines macros with the names of struct fields. */
#include <term.h>

static struct {
	SCREEN *screen;
	int signal_fd;
	int epoll_fd;
	struct termios before;
	char *leave;		/* escape sequences that restore the terminal */
} term = { .signal_fd = -1, .epoll_fd = -1 };

/* Signals that end a process and that struct ending does not handle. */
static const int deadly[] = {
	SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
	SIGSTKFLT,
};

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };

static bool is_deadly(int signal)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(deadly); i++)
		if (deadly[i] == signal)
			return true;
	return signal >= SIGRTMIN;
}

/* Restores the terminal, then raises the signal again with its default action (SA_RESETHAND). */
static void on_crash(int signal)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
	/* A failed write cannot be handled here. */
	if (term.leave && write(STDOUT_FILENO, term.leave, strlen(term.leave)) < 0)
		_exit(128 + signal);
	raise(signal);
}

static void catch_crashes(void)
{
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &action, NULL);
}

static const char *capability(const char *name)
{
	const char *s = tigetstr(name);

	return s && s != (char *)-1 ? s : "";
}

static int open_fds(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t signals;
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGWINCH);
	sigaddset(&signals, SIGCONT);
	if (!ending_ignores(SIGTSTP))
		sigaddset(&signals, SIGTSTP);
	for (signal = 1; signal <= SIGRTMAX; signal++)
		if (is_deadly(signal) && !ending_ignores(signal))
			sigaddset(&signals, signal);
	/* ending_finish() restores the mask. */
	sigprocmask(SIG_BLOCK, &signals, NULL);
	term.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	term.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (term.signal_fd < 0 || term.epoll_fd < 0 ||
	    epoll_ctl(term.epoll_fd, EPOLL_CTL_ADD, term.signal_fd, &event) ||
	    epoll_ctl(term.epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &event)) {
		error("cannot wait for the terminal: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

/* Reports an error if there is no terminal, or if it cannot position the cursor. */
static int check_terminal(void)
{
	const char *name = getenv("TERM");
	bool has_cursor;
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		error("not a terminal; use --batch to print frames as text");
		return -ENOTTY;
	}
	if (!name || setupterm(name, STDOUT_FILENO, &found) == ERR) {
		error("TERM=%s: unknown terminal type; use --batch to print frames as text",
		      name ? name : "");
		return -EINVAL;
	}
	has_cursor = *capability("cup");
	del_curterm(cur_term);
	if (!has_cursor) {
		error("TERM=%s: the terminal cannot move its cursor; use --batch to print frames as text",
		      name);
		return -EINVAL;
	}
	return 0;
}

/**
 * top_term_begin - set up the terminal
 * @top: its options
 * @fd: set to a file descriptor that is readable when top_term_events() has something to do
 *
 * Return: 0, or a negative errno after printing an error
 */
int top_term_begin(const struct top *top, int *fd)
{
	int err;

	err = check_terminal();
	if (err)
		return err;
	if (tcgetattr(STDIN_FILENO, &term.before)) {
		error("cannot read the terminal's state: %s", strerror(errno));
		return -errno;
	}
	err = open_fds();
	if (err)
		return err;
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen) {
		error("cannot use the terminal %s", getenv("TERM"));
		return -EINVAL;
	}
	atexit(top_term_end);
	term.leave = xasprintf("%s%s%s", capability("sgr0"), capability("cnorm"),
			       capability("rmcup"));
	catch_crashes();
	cbreak();
	noecho();
	nonl();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	top_draw_begin(!top->opt.no_color);
	*fd = term.epoll_fd;
	return 0;
}

/* Restores the terminal. May be called at any time. */
void top_term_end(void)
{
	if (!term.screen)
		return;
	endwin();
	delscreen(term.screen);
	term.screen = NULL;
	free(term.leave);
	term.leave = NULL;
	close(term.signal_fd);
	close(term.epoll_fd);
}

static void resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	/* Redraw everything. */
	clearok(curscr, TRUE);
}

/* Restores the terminal, stops as SIGTSTP would, and redraws the screen when continued. */
static void stop(void)
{
	sighandler_t handler;
	sigset_t signals;

	endwin();
	sigemptyset(&signals);
	sigaddset(&signals, SIGTSTP);
	handler = signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGTSTP, handler);
	resize();
}

/* After SIGCONT: other processes may have changed the terminal. */
static void go_on(void)
{
	reset_prog_mode();
	resize();
}

static bool has_hung_up(void)
{
	struct pollfd p = { .fd = STDIN_FILENO };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/**
 * top_term_events - handle keys, a new size and stops
 * @top: changed by keys
 * @keys: state of keyboard input; @keys->quit is also set if the terminal has hung up
 *
 * Return: a signal that ends the process, or 0
 */
int top_term_events(struct top *top, struct top_keys *keys)
{
	struct signalfd_siginfo info;
	int key;

	while (read(term.signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (is_deadly(info.ssi_signo))
			return info.ssi_signo;
		switch (info.ssi_signo) {
		case SIGTSTP:
			stop();
			break;
		case SIGCONT:
			go_on();
			break;
		case SIGWINCH:
			resize();
			break;
		}
	}
	while (!keys->quit && (key = getch()) != ERR)
		top_key(top, keys, key);
	if (has_hung_up())
		keys->quit = true;
	return 0;
}
