#include "harness/classes/grade/class.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "harness/core/error.h"
#include "harness/core/parallel.h"

namespace lab::grade {

namespace {

/// What the graders' threads hand to the one that writes the database.
class Finished {
 public:
  struct Item {
    Graded graded;
    std::string failure = {};
  };

  void put(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    there_.notify_one();
  }

  Item take() {
    std::unique_lock lock(mutex_);
    there_.wait(lock, [&] { return !items_.empty(); });
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable there_;
  std::deque<Item> items_;
};

// Done already, and with nothing changed since?
bool is_kept(db::Store& store, const Rubric& rubric, const Submission& submission) {
  const auto newest = db::newest_grade(store, submission.student, rubric.lab->number);
  if (!newest) return false;
  // Who hands in nothing now may have done so before.
  if (submission.path.empty())
    return newest->status != db::GradeStatus::kMissing || newest->rubric_sha256 == rubric.sha256;
  // The machine was too busy to say.
  if (!newest->points && !newest->run && submission.text) return false;
  return newest->rubric_sha256 == rubric.sha256 && newest->source_sha256 == submission.sha256;
}

Finished::Item graded_or_not(const Rubric& rubric, const Submission& submission,
                             const GradeOptions& options) {
  try {
    return {grade_one(rubric, submission, options)};
  } catch (const std::exception& error) {
    return {{}, fmt::format("{}: {}", submission.student, error.what())};
  }
}

/// Ends its threads before it goes, whatever happens to the one that waits for them.
class Crew {
 public:
  Crew(const std::vector<const Submission*>& work, const Rubric& rubric,
       const ClassOptions& options, Finished& finished) {
    GradeOptions each = options.each;
    const auto stopped = each.cancelled;
    each.cancelled = [this, stopped] { return over_ || (stopped && stopped()); };
    for (int i = 0; i < options.jobs; ++i) {
      threads_.add([this, &work, &rubric, &finished, each] {
        for (std::size_t at = next_++; at < work.size(); at = next_++) {
          if (each.cancelled()) {
            finished.put({{}, "interrupted"});
          } else {
            finished.put(graded_or_not(rubric, *work[at], each));
          }
        }
      });
    }
  }
  ~Crew() { over_ = true; }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

 private:
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> over_ = false;
  Threads threads_;  // the last: they use all of the above
};

}  // namespace

ClassResult grade_class(const Rubric& rubric, const std::vector<Submission>& submissions,
                        db::Store& store, const ClassOptions& options, const ClassSink& sink) {
  ClassResult result;
  std::vector<const Submission*> work;
  for (const Submission& submission : submissions) {
    if (options.again || !is_kept(store, rubric, submission)) {
      work.push_back(&submission);
    } else {
      ++result.kept;
    }
  }
  const auto stopped = [&] { return options.each.cancelled && options.each.cancelled(); };
  Finished finished;
  const Crew crew(work, rubric, options, finished);
  for (std::size_t done = 0; done < work.size(); ++done) {
    const Finished::Item item = finished.take();
    // Submissions that were under way when the user stopped are not graded.
    if (stopped()) continue;
    if (!item.failure.empty()) {
      result.failures.push_back(item.failure);
      continue;
    }
    const Graded& graded = item.graded;
    db::put_grade(store, graded.row, graded.run ? &*graded.run : nullptr, graded.fingerprints);
    ++result.graded;
    if (sink.graded) sink.graded(graded.row, done + 1, work.size());
  }
  return result;
}

}  // namespace lab::grade
