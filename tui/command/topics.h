/* Topics that `:help` explains beside commands; the manual page has them too. Constants. */
#ifndef ATTNSCOPE_TOPICS_H
#define ATTNSCOPE_TOPICS_H

struct topic {
    const char *name, *alias; // alias: another spelling, or NULL
    const char *summary;      // one line
    const char *const
        *parts; // paragraphs; what begins with a blank is a line to be typed. NULL: the end
};
extern const struct topic topic_table[];
extern const int topic_count;

/* The topic of that name or spelling, or NULL. */
const struct topic *topic_find(const char *name);

#endif
