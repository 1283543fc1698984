// In place of the samples' header of this name: words of the command line, and where files lie.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#define STRCASECMP strcasecmp
#define STRCPY(to, bytes, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#endif

// What stands behind `-name=` or `--name=`; null: there is no such word.
inline const char* lab_word(int count, const char** words, const char* name) {
  for (int i = 1; i < count; ++i) {
    const char* word = words[i];
    while (*word == '-') ++word;
    const std::size_t length = std::strlen(name);
    if (word == words[i] || strncasecmp(word, name, length) != 0) continue;
    if (word[length] == '\0') return word + length;
    if (word[length] == '=') return word + length + 1;
  }
  return nullptr;
}
inline int stringRemoveDelimiter(char delimiter, const char* text) {
  int at = 0;
  while (text[at] == delimiter) ++at;
  return text[at] == '\0' ? 0 : at;
}
inline bool checkCmdLineFlag(const int count, const char** words, const char* name) {
  return lab_word(count, words, name) != nullptr;
}
inline int getCmdLineArgumentInt(const int count, const char** words, const char* name) {
  const char* value = lab_word(count, words, name);
  return value != nullptr ? std::atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(const int count, const char** words, const char* name) {
  const char* value = lab_word(count, words, name);
  return value != nullptr ? static_cast<float>(std::atof(value)) : 0;
}
template <class T>
inline bool getCmdLineArgumentValue(const int count, const char** words, const char* name,
                                    T* value) {
  const char* text = lab_word(count, words, name);
  if (text != nullptr) *value = static_cast<T>(std::atof(text));
  return text != nullptr;
}
inline bool getCmdLineArgumentString(const int count, const char** words, const char* name,
                                     char** value) {
  const char* text = lab_word(count, words, name);
  *value = const_cast<char*>(text);
  return text != nullptr;
}
// Here or in `data`; null: nowhere.
inline char* sdkFindFilePath(const char* name, const char*) {
  for (const char* folder : {"./", "./data/", "../data/", "../../data/"}) {
    const std::string path = std::string(folder) + name;
    if (FILE* file = std::fopen(path.c_str(), "rb")) {
      std::fclose(file);
      return strdup(path.c_str());
    }
  }
  return nullptr;
}
