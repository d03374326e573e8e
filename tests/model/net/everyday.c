#include "tests/model/net/everyday.h"

#include <stdint.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const written[EVERYDAY_WRITTEN] = {
    "The children are playing in the garden.",
    "I have never seen such a big dog.",
    "Where did you put my keys?",
    "She reads a book every evening.",
    "We will be late if we don't leave now.",
    "Tom bought a new car last week.",
    "Can you help me carry this table upstairs?",
    "It has been raining since yesterday.",
    "My brother works in a hospital.",
    "What would you like to drink?",
    "Nobody knew why the train stopped.",
    "Please close the window, it is cold in here.",
    "The old woman told us a story about her village.",
    "He speaks three languages, but he cannot write any of them.",
    "Do not forget to buy bread and milk on your way home.",
    "There is a small bird on the roof of our neighbour's house.",
    "I was so tired that I fell asleep in front of the television.",
    "If I had more time, I would learn to play the piano.",
    "Mary asked her teacher whether she could go home earlier, because she did not feel well.",
    "Stop!",
};

static const char *const people[] = {
    "I",          "we",         "they",       "my sister",   "Tom",          "Mary",
    "the doctor", "my parents", "our friend", "the old man", "the students", "your neighbour",
};
static const char *const deeds[] = {
    "waited for the bus",
    "wanted to buy a new bicycle",
    "forgot the umbrella",
    "found an old letter",
    "drank two cups of coffee",
    "lost the key",
    "could not sleep",
    "wrote a long letter",
    "opened the door",
    "cooked dinner for us",
    "looked at the pictures",
    "missed the last train",
    "met a friend from Paris",
    "had to work all day",
    "sold the house",
    "laughed at the joke",
    "sang a song",
    "cleaned the kitchen",
};
static const char *const places[] = {
    "",
    " at the station",
    " in the kitchen",
    " near the river",
    " in front of the school",
    " in Berlin",
    " on the beach",
    " at home",
    " in the park",
    " behind the church",
};
static const char *const times[] = {
    "",           " yesterday",    " last summer",       " on Monday",
    " this time", " before lunch", " three days ago",    " in the morning",
    " again",     " at midnight",  " after the concert", " for two hours",
};
static const char *const joints[] = {
    ", and ", ", but ", " because ", " while ", " before ", " although ", ", so ",
};

static uint64_t state;

static const char *one_of(const char *const *words, size_t count)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return words[(state >> 33) % count];
}

/* Appends a clause: who did what, where and when. */
static size_t add_clause(char *text, size_t used)
{
    const char *who = one_of(people, COUNT(people)), *what = one_of(deeds, COUNT(deeds));
    const char *where = one_of(places, COUNT(places)), *when = one_of(times, COUNT(times));
    return used +
           (size_t)snprintf(text + used, EVERYDAY_MOST - used, "%s %s%s%s", who, what, where, when);
}

void everyday_sentence(int number, char text[EVERYDAY_MOST])
{
    if (number < EVERYDAY_WRITTEN) {
        snprintf(text, EVERYDAY_MOST, "%s", written[number]);
        return;
    }
    state = (uint64_t)number;
    size_t used = add_clause(text, 0);
    for (int more = number % 3; more > 0; more--) {
        used += (size_t)snprintf(text + used, EVERYDAY_MOST - used, "%s",
                                 one_of(joints, COUNT(joints)));
        used = add_clause(text, used);
    }
    snprintf(text + used, EVERYDAY_MOST - used, "%s", number % 7 == 0 ? "!" : ".");
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
}
