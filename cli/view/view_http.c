/* view_http.c - the pages of a view, by libmicrohttpd: the checks of a request, and the answers.
 *
 * Bound to 127.0.0.1. A request counts if three conditions hold. Its Host is this server by an
 * address of this machine (another name is a foreign page whose name points here). No other page is
 * named as its Origin. It has the key: in the address, in a header, or as a cookie that a program
 * of the owner's makes. The page itself has no cookie, which browsers send to every port of an
 * address. An order has the key in a header, which a foreign page cannot set. Every other request
 * is refused before its content is read.
 *
 * A client could hold all connections. Connections that have shown no key are few, and the oldest
 * of them is closed when a further one comes. */
#include <config.h>

#include "cli/view/view_parts.h"

#include "run/measure/clock.h"
#include "core/number.h"
#include "io/colours.h"

#ifdef HAVE_VIEW

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { CONNECTIONS = 64, GUESTS = 8, SECONDS = 10, REQUEST_BYTES = 4096, ORDER_BYTES = 256 };

/* An order while it comes in. */
typedef struct body { size_t bytes; char text[ORDER_BYTES]; } body;

/* ---- connections without a key -------------------------------------------------------------- */

typedef struct view_guest {
  struct view_guest *next;
  int socket;
} view_guest;

/* 1: it was one of them. */
static int leave_guests(view *v, const view_guest *guest)
{
  for (view_guest **at = &v->guests; *at; at = &(*at)->next) {
    if (*at != guest) continue;
    *at = guest->next;
    v->guest_count--;
    return 1;
  }
  return 0;
}

static void join_guests(view *v, view_guest *guest)
{
  view_guest **end = &v->guests;
  while (*end) end = &(*end)->next;
  *end = guest;
  if (++v->guest_count <= GUESTS) return;
  view_guest *oldest = v->guests;
  (void)leave_guests(v, oldest);
  (void)shutdown(oldest->socket, SHUT_RDWR); /* the server sees its end, and closes it */
}

static int socket_of(struct MHD_Connection *c)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* A connection begins or ends. */
static void record_guest(void *user, struct MHD_Connection *c, void **kept,
                         enum MHD_ConnectionNotificationCode what)
{
  view *v = user;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    view_guest *guest = calloc(1, sizeof *guest);
    *kept = guest;
    if (!guest) {
      (void)shutdown(socket_of(c), SHUT_RDWR);
      return;
    }
    guest->socket = socket_of(c);
    join_guests(v, guest);
  } else if (*kept) {
    (void)leave_guests(v, *kept);
    free(*kept);
    *kept = NULL;
  }
}

static void welcome(view *v, struct MHD_Connection *c)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (info && info->socket_context) (void)leave_guests(v, info->socket_context);
}

/* ---- who may ask ---------------------------------------------------------------------------- */

static int is_key(const view *v, const char *text)
{
  unsigned differ = 0;
  if (!text || strlen(text) != sizeof v->key - 1) return 0;
  for (size_t i = 0; i < sizeof v->key - 1; i++) differ |= (unsigned)(text[i] ^ v->key[i]);
  return differ == 0;
}

static int is_own_name(const view *v, const char *text)
{
  char name[32];
  static const char *const names[] = {"127.0.0.1", "localhost"};
  for (size_t i = 0; text && i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s:%u", names[i], v->port);
    if (strcmp(text, name) == 0) return 1;
  }
  return 0;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
  return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static int is_allowed(const view *v, struct MHD_Connection *c, int is_order)
{
  char cookie[32];
  const char *origin = header(c, "Origin");
  snprintf(cookie, sizeof cookie, "trireme-%u", v->port);
  if (!is_own_name(v, header(c, "Host"))) return 0;
  if (origin && (strncmp(origin, "http://", 7) != 0 || !is_own_name(v, origin + 7))) return 0;
  if (is_key(v, header(c, "X-Trireme-Key"))) return 1;
  if (is_order) return 0;
  return is_key(v, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "key")) ||
         is_key(v, MHD_lookup_connection_value(c, MHD_COOKIE_KIND, cookie));
}

/* ---- answers -------------------------------------------------------------------------------- */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned code, const char *type,
                              const void *bytes, size_t count)
{
  static const char *const headers[][2] = {
    {"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"}, {"X-Frame-Options", "DENY"},
    {"Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; "
                                "style-src 'unsafe-inline'; frame-ancestors 'none'"}};
  struct MHD_Response *response =
    MHD_create_response_from_buffer(count, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    MHD_add_response_header(response, headers[i][0], headers[i][1]);
  MHD_add_response_header(response, "Content-Type", type);
  const enum MHD_Result result = MHD_queue_response(c, code, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned code, const char *text)
{
  return answer(c, code, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result answer_state(view *v, struct MHD_Connection *c)
{
  pthread_mutex_lock(&v->lock);
  v->asked = clock_now();
  const char *text = v->state ? v->state : "{}";
  const enum MHD_Result result = answer(c, MHD_HTTP_OK, "application/json", text, strlen(text));
  pthread_mutex_unlock(&v->lock);
  return result;
}

static enum MHD_Result answer_frame(view *v, struct MHD_Connection *c)
{
  pthread_mutex_lock(&v->lock);
  v->asked = clock_now();
  v->fetched = 1;
  const enum MHD_Result result =
    answer(c, MHD_HTTP_OK, "application/octet-stream", v->levels ? (const void *)v->levels : "",
           v->levels ? v->width * v->height : 0);
  pthread_mutex_unlock(&v->lock);
  return result;
}

static enum MHD_Result answer_order(view *v, struct MHD_Connection *c, const body *order)
{
  pthread_mutex_lock(&v->lock);
  v->asked = clock_now();
  const int is_one = view_take_order(&v->orders, order->text);
  pthread_mutex_unlock(&v->lock);
  return is_one ? answer(c, MHD_HTTP_OK, "text/plain", "", 0)
                : refuse(c, MHD_HTTP_BAD_REQUEST, "no such order\n");
}

/* The page, whose script has the key in its address. */
static enum MHD_Result answer_page(const view *v, struct MHD_Connection *c)
{
  static const char script[] = "/view.js";
  const char *place = strstr(view_page, script);
  char *text = NULL;
  if (!place) return MHD_NO;
  place += sizeof script - 1;
  const int bytes = asprintf(&text, "%.*s?key=%s%s", (int)(place - view_page), view_page, v->key,
                             place);
  if (bytes < 0) return MHD_NO;
  const enum MHD_Result result = answer(c, MHD_HTTP_OK, "text/html; charset=utf-8", text,
                                        (size_t)bytes);
  free(text);
  return result;
}

static enum MHD_Result answer_get(view *v, struct MHD_Connection *c, const char *path)
{
  if (strcmp(path, "/") == 0) return answer_page(v, c);
  if (strcmp(path, "/view.js") == 0)
    return answer(c, MHD_HTTP_OK, "text/javascript; charset=utf-8", view_script,
                  strlen(view_script));
  if (strcmp(path, "/state") == 0) return answer_state(v, c);
  if (strcmp(path, "/frame") == 0) return answer_frame(v, c);
  if (strcmp(path, "/colours") == 0)
    return answer(c, MHD_HTTP_OK, "application/octet-stream",
                  trm_colours_table(TRM_COLOURS_VIRIDIS), (size_t)TRM_COLOURS * 768);
  return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

/* Called when the head of a request is there, for each part of its body, and at its end. */
static enum MHD_Result receive(void *user, struct MHD_Connection *c, const char *path,
                               const char *method, const char *version, const char *data,
                               size_t *bytes, void **kept)
{
  view *v = user;
  body *order = *kept;
  (void)version;
  const int is_order = strcmp(method, "POST") == 0 && strcmp(path, "/order") == 0;
  if (!order) {
    if (!is_allowed(v, c, is_order))
      return refuse(c, MHD_HTTP_FORBIDDEN, "open the whole address that trireme printed: it "
                                              "holds the key of this run\n");
    welcome(v, c);
    if (strcmp(method, "GET") != 0 && !is_order)
      return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET, and POST of /order\n");
    *kept = calloc(1, sizeof *order);
    return *kept ? MHD_YES : MHD_NO;
  }
  if (*bytes) {
    if (is_order && *bytes < sizeof order->text - order->bytes) {
      memcpy(order->text + order->bytes, data, *bytes);
      order->bytes += *bytes;
    } else order->bytes = sizeof order->text;        /* too long */
    *bytes = 0;
    return MHD_YES;
  }
  if (order->bytes == sizeof order->text)
    return refuse(c, MHD_HTTP_CONTENT_TOO_LARGE, "too long\n");
  return is_order ? answer_order(v, c, order) : answer_get(v, c, path);
}

static void forget(void *user, struct MHD_Connection *c, void **kept,
                   enum MHD_RequestTerminationCode how)
{
  (void)user, (void)c, (void)how;
  free(*kept);
  *kept = NULL;
}

static void silent(void *user, const char *format, va_list list)
{
  (void)user, (void)format, (void)list;
}

/* ---- the server ----------------------------------------------------------------------------- */

static trm_status read_port(const char *text, uint16_t *out)
{
  char *end = NULL;
  const int64_t port = text[0] ? trm_whole(text, &end) : 0;
  if (text[0] && (end == text || *end || port < 1 || port > 65535))
    return TRM_FAIL(INPUT, "--view=%s: give a port from 1 to 65535, or leave it out for any that "
                    "is free", text);
  *out = (uint16_t)port;
  return TRM_OK;
}

trm_status view_serve(view *v, const char *port)
{
  struct sockaddr_in address = {.sin_family = AF_INET};
  uint16_t number = 0;
  TRM_TRY(read_port(port, &number));
  address.sin_port = htons(number);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  v->server = MHD_start_daemon(
    MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG, number, NULL, NULL, receive, v,
    MHD_OPTION_EXTERNAL_LOGGER, silent, NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
    MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
    (unsigned)SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
    MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_NOTIFY_CONNECTION, record_guest, v,
    MHD_OPTION_END);
  if (!v->server)
    return TRM_FAIL(IO, "no view: port %u of 127.0.0.1 cannot be opened; choose another "
                    "(--view=PORT), or leave it out for any that is free", number);
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(v->server, MHD_DAEMON_INFO_BIND_PORT);
  v->port = info ? info->port : number;
  return TRM_OK;
}

void view_end_serving(view *v)
{
  if (v->server) MHD_stop_daemon(v->server);
  v->server = NULL;
}

#else

trm_status view_serve(view *v, const char *port)
{
  (void)v, (void)port;
  return TRM_FAIL(UNSUPPORTED, "this build has no view, because libmicrohttpd was missing; install "
                               "libmicrohttpd-dev, configure and build again, or leave --view out");
}

void view_end_serving(view *v) { (void)v; }

#endif
